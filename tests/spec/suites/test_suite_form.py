import dataclasses

from benchmaker.spec import Case, CaseFields, Suite
from benchmaker.spec.suites.suite_form import SuiteForm


def test_the_form_has_a_field_for_each_of_a_suite():
    kept_apart = {"source", "places"}
    fields = {field.name for field in dataclasses.fields(Suite)} - kept_apart
    assert set(SuiteForm.model_fields) == fields


def test_every_field_of_a_case_but_metadata_can_be_mapped():
    unmapped = {"metadata", "also_expected", "rendered", "expansion_of"}
    assert set(CaseFields.model_fields) == set(Case.model_fields) - unmapped
