"""Answers as models write them; each page has a button, and an element ``out`` that it changes."""

TSX = """\
Here is the counter:

```tsx
import React, { useState } from "react";

interface Props { start?: number }

export default function Counter({ start = 0 }: Props) {
  const [n, setN] = useState<number>(start);
  return (
    <div className="p-4 flex gap-2 items-center bg-blue-500">
      <button className="px-4 py-2 rounded-lg text-white" onClick={() => setN(n + 1)}>Add</button>
      <p id="out">{n}</p>
    </div>
  );
}
```
"""

VUE = """\
```vue
<script setup lang="ts">
import { ref, computed } from 'vue'
const props = withDefaults(defineProps<{ step?: number; loud: boolean }>(), { step: 2 })
const n = ref<number>(0)
const twice = computed(() => n.value * props.step)
function add(): void { n.value++ }
</script>
<template>
  <button @click="add">Add</button>
  <p id="out">{{ twice }}</p>
  <template v-if="loud">LOUD</template>
</template>
<style scoped>
button { color: rgb(1, 2, 3); }
</style>
```
"""

VUE_FILES = """\
`src/App.vue`:
```vue
<template><div><button @click="n++">Add</button><Kid v-model="n" /></div></template>
<script>
import Kid from './components/Kid.vue';
export default { components: { Kid }, data() { return { n: 0 } } }
</script>
```
`src/components/Kid.vue`:
```vue
<script setup>
const model = defineModel({ type: Number })
</script>
<template><p id="out">{{ model }}</p></template>
```
"""

REACT_CDN = """\
```html
<!DOCTYPE html>
<html lang="en"><head><title>CDN</title>
<script src="https://cdn.tailwindcss.com"></script>
<script>tailwind.config = { theme: { extend: { colors: { brand: '#102030' } } } }</script>
<script crossorigin integrity="sha384-x"
  src="https://unpkg.com/react@18/umd/react.production.min.js"></script>
<script src="https://unpkg.com/react-dom@18/umd/react-dom.production.min.js"></script>
<script src="https://unpkg.com/@babel/standalone/babel.min.js"></script>
</head><body><div id="root"></div>
<script type="text/babel">
const { useState } = React;
function App() {
  const [n, setN] = useState(0);
  return <button className="bg-brand p-4" onClick={() => setN(n + 1)}><b id="out">{n}</b></button>;
}
ReactDOM.createRoot(document.getElementById('root')).render(<App />);
</script></body></html>
```
"""

SVG = """\
```svg
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">
  <g role="button" onclick="document.getElementById('out').textContent = 1">
    <rect width="100" height="100" fill="red"/><text id="out" x="10" y="50">0</text>
  </g>
</svg>
```
"""

IMPORT_MAP = """\
```html
<!doctype html><html><body><div id="app"></div>
<script type="importmap">
{"imports": {"vue": "https://unpkg.com/vue@3/dist/vue.esm-browser.js"}}
</script>
<script type="module">
import { createApp, ref } from 'vue'
const template = '<button @click="n++">Add</button><p id="out">{{ n }}</p>'
createApp({ setup() { const n = ref(0); return { n } }, template }).mount('#app')
</script></body></html>
```
"""

ESM = """\
```html
<!doctype html><html><body><div id="root"></div>
<script type="module">
import React, { useState } from "https://esm.sh/react@18.2.0";
import { createRoot } from "https://esm.sh/react-dom@18.2.0/client";
const h = React.createElement;
function App() {
  const [n, setN] = useState(0);
  return h("button", { onClick: () => setN(n + 1) }, h("p", { id: "out" }, n));
}
createRoot(document.getElementById("root")).render(h(App));
</script></body></html>
```
"""

FILES = """\
**index.html**
```html
<!doctype html>
<html><head><link rel="stylesheet" href="/css/style.css">
<script defer src="./app.js"></script></head>
<body><button>Add</button><p id="out">0</p><img src="logo.svg" alt=""></body></html>
```
css/style.css:
```css
button { color: rgb(1, 2, 3) }
```
app.js:
```js
const out = document.getElementById('out');
document.querySelector('button').onclick = () => {
  localStorage.n = Number(out.textContent) + 1;
  out.textContent = localStorage.getItem('n');
};
```
`logo.svg`
```svg
<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="3"/></svg>
```
"""

MODULES = """\
`index.html`
```html
<!doctype html><html><body><button>Add</button><p id="out">0</p>
<script type="module" src="./js/main.js"></script></body></html>
```
`js/main.js`
```js
import { add } from './util.js';
const out = document.getElementById('out');
document.querySelector('button').onclick = () => { out.textContent = add(+out.textContent) };
```
`js/util.js`
```js
export const add = (n) => n + 1;
```
"""

VITE = """\
`index.html`
```html
<!doctype html><html><body><div id="root"></div>
<script type="module" src="/src/main.tsx"></script></body></html>
```
`src/main.tsx`
```tsx
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './index.css'
import App from './App'
createRoot(document.getElementById('root')!).render(<StrictMode><App /></StrictMode>)
```
`src/App.tsx`
```tsx
import { useState } from 'react'
export default function App() {
  const [n, setN] = useState<number>(0);
  return <button className="p-4" onClick={() => setN((c) => c + 1)}><b id="out">{n}</b></button>
}
```
`src/index.css`
```css
@tailwind base;
@tailwind components;
@tailwind utilities;
button { color: rgb(1, 2, 3) }
```
"""

PARTS = """\
```css
button { color: rgb(1, 2, 3) }
```
```js
const button = document.createElement('button');
const out = document.createElement('p');
out.id = 'out';
out.textContent = 0;
button.textContent = 'Add';
button.onclick = () => out.textContent++;
document.getElementById('app').append(button, out);
```
"""

NOT_EXPORTED = """\
```jsx
function Adder({ onAdd }) { return <button onClick={onAdd}>Add</button>; }
function App() {
  const [n, setN] = React.useState(0);
  return (<div><Adder onAdd={() => setN(n + 1)} /><p id="out">{n}</p></div>);
}
```
"""

ALL = {
    "tsx": TSX,
    "vue": VUE,
    "vue_files": VUE_FILES,
    "react_cdn": REACT_CDN,
    "svg": SVG,
    "import_map": IMPORT_MAP,
    "esm": ESM,
    "files": FILES,
    "modules": MODULES,
    "vite": VITE,
    "parts": PARTS,
    "not_exported": NOT_EXPORTED,
}
