# ruff: noqa: E501 - patterns stay on one line
"""English."""

from __future__ import annotations

from typing import Final

from butler_switchboard.extraction.rules.language import language_of
from butler_switchboard.extraction.signals import SignalType

__all__ = ["ENGLISH"]

_FEELING: Final = "angry|upset|sad|worried|proud|disappointed|happy|lonely|stressed|furious|annoyed|grateful|jealous|heartbroken"
_DAY: Final = "(?:birthday|wedding|graduation|anniversary|name day)"
_OCCASION: Final = rf"(?:for (?:his|her|their|my|our) {_DAY}|for Christmas|as a (?:gift|present))"

ENGLISH: Final = language_of(
    kin=(
        r"(?:[Mm]y|[Oo]ur) (?:(?:older|younger|little|big|best|new|old) )?"
        r"(?:(?:grand|step|god)?(?:mother|father|son|daughter|child|parents)(?:-in-law)?|mum|mom|dad|(?:sister|brother)(?:-in-law)?|wife|husband|partner|fiancée?|girlfriend|boyfriend|aunt|uncle|cousin|niece|nephew|grandma|grandpa|friend|boss|colleague|neighbou?r|flatmate|kids|children)"
        r"(?![\w-])"
    ),
    no_names=(
        "I|He|She|It|We|They|You|The|This|That|These|Those|There|Here|My|Our|Your|His|Her|Their|And|But|Or|So|What|Who|Why|How|When|Where|Which"
        "|If|Maybe|Perhaps|After|Before|Since|While|Because|Well|Oh|Did|Does|Do|Has|Have|Had|Is|Are|Was|Were|Can|Will|Sadly|Luckily|Unfortunately|Finally|Apparently|Actually|Obviously|Now|Then|Also"
        "|Today|Tomorrow|Yesterday|Tonight|Please|Hi|Hello|Hey|Thanks|Yes|No|Not|Ok|Okay|Everybody|Everyone|Nobody|Somebody|Someone|Nothing|Everything|One|Mr|Mrs|Ms|Dr"
        "|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December|Christmas|Easter"
    ),
    joins=("that", "and", "but", "because"),
    undoes=r"\b(?:not|never|no longer|none|neither|if|would|wish|maybe|perhaps|might|should|could|hardly|whether|pretend\w*)\b|n['’]t\b",
    phrases={
        SignalType.CONTACT: (
            r"HEADWHO['’]s? (?:new )?(?:phone number|mobile number|number|phone|mobile|e-?mail|address|e-?mail address) is VALUE",
            r"HEADWHO['’]s? (?:new )?(?:e-?mail|e-?mail address) is [\w.+-]{1,60}@[\w.-]{1,60}",
            r"HEADWHO can be reached (?:at|on|under) VALUE",
        ),
        SignalType.INTERACTION: (
            r"\bI (?:just |finally )?(?:met|called|phoned|ran into|bumped into)(?: up)?(?: with)? WHO",
            r"\b(?:I|[Ww]e) (?:just )?(?:(?:had|have had) (?:lunch|dinner|breakfast|brunch|coffee|tea|drinks|a coffee|a beer|a drink) with|spoke (?:to|with)|talked (?:to|with)|went (?:out|for a walk|hiking|shopping|swimming|to the cinema) with) WHO",
            r"\b(?:I|[Ww]e) (?:visited|saw) KIN",
        ),
        SignalType.LIFE_EVENT: (
            r"HEADWHO (?:is|are) (?:pregnant|engaged|getting married|getting divorced|expecting|moving to REST|moving in with REST|retiring)\b",
            r"HEADWHO (?:has |have )?(?:just |finally )?(?:(?:got|gotten) (?:married|engaged|divorced|promoted)|graduated|retired|passed away|died|moved to REST|(?:had|given birth to|gave birth to) (?:a baby|a boy|a girl|twins)|(?:started|got|found) a new job|lost (?:his|her|their) job)(?!\w)",
        ),
        SignalType.DATE: (
            rf"HEADWHO['’]s? {_DAY} is (?:on )?(?:the )?VALUE",
            r"HEADWHO was born (?:on|in) VALUE",
            r"HEADWHO (?:turns|is turning|will be|will turn) \d{1,3}\b(?! ?(?:minutes|hours|days|km|%))",
        ),
        SignalType.FACT: (
            r"HEADWHO (?:is|are) (?:allergic to REST|(?:a )?(?:vegetarian|vegan|coeliac|celiac|diabetic|left-handed|teetotal|lactose[- ]intolerant))(?!\w)",
            r"HEADWHO (?:works (?:as|at|for|in) REST|lives (?:in|with|at) REST|speaks [A-Z]\w+|studies REST)",
            r"HEADWHO (?:really )?(?:likes|loves|prefers|hates) (?!me\b|us\b|you\b|it\b|that\b|to be\b)REST",
        ),
        SignalType.SENTIMENT: (
            rf"HEADWHO (?:is|are|was|were|seems|seemed|sounded|feels|felt) (?:really |very |so |quite |a bit |a little )?(?:{_FEELING})\b(?: (?:about|at|with|of) REST)?",
            r"\bI (?:really |still )?(?:miss|love) KIN",
            r"\bI(?: am|['’]m) (?:really |very |so )?(?:worried about|proud of|angry (?:at|with)|disappointed (?:in|by)|grateful to) WHO",
        ),
        SignalType.GIFT: (
            rf"\b(?:I|[Ww]e) (?:gave|bought|got) WHO REST? ?{_OCCASION}",
            rf"HEADWHO (?:gave|bought|got) (?:me|us) REST {_OCCASION}",
            r"\b(?:[Gg]ift|[Pp]resent)(?:s| ideas?)? for WHO",
        ),
        SignalType.LOAN: (
            r"\b(?:I|[Ww]e) (?:have )?(?:lent|loaned) WHO REST",
            r"HEADWHO (?:has )?(?:lent|loaned) (?:me|us) REST",
            r"HEADWHO (?:still )?owes? (?:me|us) REST",
            r"\bI (?:still )?owe WHO REST",
            r"\bI(?:['’]ve)? borrowed REST from WHO",
        ),
    },
)  # fmt: skip
"""The phrases of English."""
