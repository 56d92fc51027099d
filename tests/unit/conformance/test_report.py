"""The conformance report says passed only for what the run proved."""

from tests.support.conformance import plugin, report


def test_an_id_whose_tests_all_passed_is_passed():
    assert report.standing({"a": "passed", "b": "passed"}, descriptive=False).status == "passed"


def test_one_failed_test_fails_the_id():
    assert report.standing({"a": "passed", "b": "failed"}, descriptive=False).status == "failed"


def test_a_skipped_test_proves_nothing():
    assert report.standing({"a": "passed", "b": "skipped"}, descriptive=False).status == "missing"


def test_an_id_without_tests_is_missing_unless_it_is_prose():
    assert report.standing({}, descriptive=False).status == "missing"
    assert report.standing({}, descriptive=True).status == "descriptive"


def test_the_gate_names_an_id_that_is_no_longer_passed(monkeypatch, tmp_path):
    page = tmp_path / "conformance.md"
    passed = report.assess({"SWB-07.1": {"t::x": "passed"}})
    page.write_text(report.page(passed), encoding="utf-8")
    monkeypatch.setattr(report, "PAGE", page)
    assert report.gate(passed) == []
    assert report.gate(report.assess({})) == ["SWB-07.1: passed in docs/conformance.md, now missing"]


def test_a_test_counts_under_its_own_name_whichever_worker_group_it_ran_in():
    assert plugin.test_of("tests/a.py::test_x[a@b]@household") == "tests/a.py::test_x[a@b]"
    assert plugin.test_of("tests/a.py::test_x[a@b]") == "tests/a.py::test_x[a@b]"
