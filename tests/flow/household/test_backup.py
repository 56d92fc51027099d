"""A household is kept in one file while it is up, and made of it again with what it knew then."""

from __future__ import annotations

from tests.support.household import Place, RunningPlace

ADA = "1001"


async def say(running: RunningPlace, text: str) -> str:
    done = await running.place.verb("send", "--channel", "telegram", "--from", ADA, text, "--wait")
    assert done.code == 0, done.stderr
    return done.stdout


async def test_a_backup_that_was_made_while_messages_came_in_is_the_household_of_that_moment(
    fresh_place: Place,
) -> None:
    place, file = fresh_place, fresh_place.root / "kept.tar"
    async with place.up() as running:
        await say(running, "Add milk to the shopping list")
        kept = await place.verb("backup", str(file))
        assert (kept.code, "it holds secrets" in kept.stdout) == (0, True), kept.stderr
        assert file.stat().st_mode & 0o777 == 0o600
        await say(running, "Add bread to the shopping list")
        refused = await place.verb("restore", str(file), "-f", str(place.manifests), "--replace")
        assert (refused.code, "is already up" in refused.stderr) == (1, True)
    taken = await place.verb("restore", str(file), "-f", str(place.manifests))
    assert (taken.code, "--replace moves it aside" in taken.stderr) == (1, True)
    secret = (place.state.keys_dir / "jwks.json").read_bytes()

    done = await place.verb("restore", str(file), "-f", str(place.manifests), "--replace")
    assert (done.code, "restored as of" in done.stdout) == (0, True), done.stderr
    [aside] = place.root.glob("state.before-*")
    assert (aside / "pg").is_dir()
    assert (place.state.keys_dir / "jwks.json").read_bytes() == secret, "tokens of before still hold"
    assert not list(place.root.glob(".*restoring"))

    async with place.up() as running:
        said = await say(running, "What is on the shopping list?")
        assert "milk" in said
        assert "bread" not in said
        await say(running, "Add eggs to the shopping list")
        assert "eggs" in await say(running, "What is on the shopping list?")

    again = await place.verb("backup", str(place.root / "down.tar"))
    assert again.code == 0, "a household that is down is kept too"
    assert (place.root / "down.tar").stat().st_size > file.stat().st_size // 2
