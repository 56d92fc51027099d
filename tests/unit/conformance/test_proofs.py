"""Each line of a requirement that counts as passed stands beside the assertion that proves it."""

from __future__ import annotations

from tests.support.conformance import proofs
from tests.support.conformance.proofs import Clause, Proof
from tests.support.conformance.report import PAGE, committed_passes

NOWHERE = "-".join(("assert", "what", "no", "file", "says"))
A_TEST = "tests/unit/conformance/test_proofs.py::test_every_listed_proof_is_there"


def test_every_listed_proof_is_there() -> None:
    assert proofs.problems(proofs.read_proofs(), proofs.read_clauses()) == []


def test_every_clause_of_a_passed_requirement_has_a_proof() -> None:
    passed = committed_passes(PAGE.read_text("utf-8"))
    assert proofs.unproved(passed, proofs.read_clauses(), proofs.read_proofs()) == []


def test_a_clause_without_a_proof_is_named() -> None:
    clauses = [Clause("SWB-01.1", 1, "an id is given"), Clause("SWB-01.1", 2, "and kept")]
    listed = [Proof("SWB-01.1", 1, A_TEST, "whatever")]
    assert proofs.unproved(["SWB-01.1"], clauses, listed) == ["SWB-01.1 2: nothing proves “and kept”"]
    assert proofs.unproved(["SWB-01.2"], clauses, listed) == ["SWB-01.2: no clause is listed"]


def test_a_proof_whose_test_mark_or_assertion_is_gone_is_named() -> None:
    clauses = [Clause("SWB-01.1", 1, "an id is given")]
    gone = Proof("SWB-01.1", 1, "tests/unit/conformance/gone.py::test_x", "assert x")
    assert proofs.problems([gone], clauses) == ["SWB-01.1 1: tests/unit/conformance/gone.py is not there"]
    unmarked = Proof("SWB-01.1", 2, A_TEST, NOWHERE)
    assert proofs.problems([unmarked], clauses) == [
        "SWB-01.1 2: there is no such clause",
        "SWB-01.1 2: test_every_listed_proof_is_there does not carry the mark",
        "SWB-01.1 2: tests/unit/conformance/test_proofs.py does not say " + f"“{NOWHERE}”",
    ]
    renamed = gone._replace(test="tests/unit/conformance/test_proofs.py::test_gone", assertion="listed")
    assert proofs.problems([renamed], clauses) == [
        "SWB-01.1 1: tests/unit/conformance/test_proofs.py has no test_gone"
    ]
