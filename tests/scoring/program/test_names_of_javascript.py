"""Tests in JavaScript reach the program's functions by name, however it exports them."""

import pytest

from tests.scoring.program.conftest import scored

PROGRAMS = {
    "declared": "function add(a, b) { return a + b; }",
    "constant": "const add = (a, b) => a + b;",
    "exports.add": "exports.add = (a, b) => a + b;",
    "module.exports.add": "module.exports.add = function (a, b) { return a + b; };",
    "exported object": "module.exports = { add: (a, b) => a + b };",
    "exported method": "module.exports = { add(a, b) { return a + b; } };",
    "exported function": "module.exports = function add(a, b) { return a + b; };",
    "exported name": "const add = (a, b) => a + b;\nmodule.exports = add;",
    "declared beside exports": "function add(a, b) { return a + b; }\nexports.other = 1;",
    "both exports": "exports = module.exports = { add: (a, b) => a + b };",
    "default export": "export default function add(a, b) { return a + b; }",
    "default name": "const add = (a, b) => a + b;\nexport default add;",
    "named export": "export const add = (a, b) => a + b;",
    "export function": "export function add(a, b) { return a + b; }",
    "export list": "const add = (a, b) => a + b;\nexport { add };",
    "export as": "const sum = (a, b) => a + b;\nexport { sum as add };",
    "no export": "import fs from 'node:fs';\nfunction add(a, b) { return a + b; }",
    "no export of a constant": "import fs from 'node:fs';\nconst add = (a, b) => a + b;",
    "not the exported one": "const add = (a, b) => a + b;\nexport const other = 1; // add",
}
RIGHT, WRONG = "assert.equal(add(1, 2), 3);", "assert.equal(add(1, 2), 4);"


@pytest.mark.parametrize("form", PROGRAMS)
def test_a_function_is_reached_by_its_name(form):
    right = scored(PROGRAMS[form], RIGHT, language="javascript")
    assert right.score == 1.0, right.notes
    assert scored(PROGRAMS[form], WRONG, language="javascript").score == 0.0


@pytest.mark.parametrize("tests", [
    "const { Stack } = require('./solution');\nassert.equal(new Stack().size, 0);",
    "assert.equal(new Stack().size, 0);",
])  # fmt: skip
@pytest.mark.parametrize("program", [
    "exports.Stack = class Stack { get size() { return 0; } };",
    "module.exports = { Stack: class { get size() { return 0; } } };",
    "export class Stack { get size() { return 0; } }",
])  # fmt: skip
def test_a_class_is_reached_by_its_name(program, tests):
    assert scored(program, tests, language="javascript").score == 1.0


def test_an_exported_class_is_reached_by_its_own_name():
    program = "module.exports = class Stack { get size() { return 0; } };"
    assert scored(program, "assert.equal(new Stack().size, 0);", language="javascript").score == 1.0


def test_names_of_the_default_export_do_not_hide_those_of_the_tests():
    program = "export default function other() { return 7; }"
    tests = "const sum = (a, b) => a + b;\nassert.equal(sum(1, 2), 3);\nassert.equal(other(), 7);"
    assert scored(program, tests, language="javascript").score == 1.0


def test_a_module_exports_what_the_program_does():
    program = "const hidden = 1;\nexport const add = (a, b) => a + b;"
    tests = (
        "import * as solution from './solution.mjs';\nimport assert from 'node:assert';\n"
        "assert.deepEqual(Object.keys(solution).sort(), ['add', 'default']);\n"
        "assert.equal(solution.add(1, 2), 3);"
    )
    assert scored(program, tests, language="javascript").score == 1.0


@pytest.mark.parametrize("program", [
    "module.exports = function other(a, b) { return a + b; };",
    "export default (a, b) => 7;",
    "module.exports = { get add() { throw new Error('no'); } };",
    "module.exports = new Proxy({}, { getOwnPropertyDescriptor() { throw 1; } });",
    "const add = 1;",
])  # fmt: skip
def test_a_program_without_the_function_fails(program):
    assert scored(program, RIGHT, language="javascript").score == 0.0
