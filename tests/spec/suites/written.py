"""Suites as files, for comparisons with the same suites in Python."""

FILES = {
    "short": """
name: sums
scorer: exact
cases:
  - {id: a, prompt: "40 + 2?", expected: 42}
  - {id: 7, prompt: "Is 2 even?", expected: true, tags: parity}
""",
    "several answers and numbers": """
name: mixed
profile: robust
scorer: {id: numeric, tolerance: 0.02}
metric: strict
cases:
  - {id: a, prompt: "1/2?", expected: [0.5, "1/2"], weight: 2, category: 5, tags: [x, 1, true]}
  - id: b
    messages: [{role: user, content: 3}, {role: assistant, content: ok}, {role: user, content: "?"}]
    expected: 2
    category: null
    choices: [1, 2]
    scorer: {id: choice}
    metadata: {source: [1, {deep: true}]}
""",
    "checks": """
name: checked
checks: [json, {type: contains, value: Lima, weight: 2}]
threshold: 0.5
judge: {models: openai/judge, repeats: 2}
parameters: {temperature: 0, stop: [END], max_tokens: null}
policies: {refused: leave_out}
cases:
  - {id: a, prompt: "Capital of Peru?", checks: [{type: word_count, max: 5, not: true}]}
""",
    "dimensions": """
name: dimensions
scorer: exact
models: [openai/a, {model: openai/b, label: hot, parameters: {temperature: 1.5}}]
efforts: low
vars: {unit: km}
prompts:
  - "How long is {{ river }}, in {{ unit }}?"
  - {id: ruled, prompt: "{{ river }}", system_prompt: "In {{ unit }}."}
cases:
  - {id: a, vars: {river: [Rhine, Elbe]}, expected: 5}
""",
}
