// The viewer, and what it leaves out for readers of screens: names of controls, levels of headings, and the keyboard in
// what scrolls.
window.ui = SwaggerUIBundle({
  url: '/api-docs/openapi.json' + location.search,
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'list',
  filter: !location.search,
  validatorUrl: null,
  tryItOutEnabled: true,
});

const viewer = document.getElementById('swagger-ui');
const set = (selector, name, value) => {
  for (const one of viewer.querySelectorAll(`${selector}:not([${name}])`)) one.setAttribute(name, value(one));
};
const level = (selector, number) => {
  set(selector, 'role', () => 'heading');
  set(selector, 'aria-level', () => number);
};
const called = (control) => {
  const parameter = control.closest('tr[data-param-name]');
  if (parameter) return parameter.dataset.paramName;
  return control.id === 'servers' ? 'Server' : control.placeholder || 'Request body';
};
const answers = (table) => {
  const path = table.closest('.opblock')?.querySelector('.opblock-summary-path')?.textContent ?? '';
  return `${table.matches('.live-responses-table') ? 'Answer' : 'Responses'}: ${path}`;
};
let waits = false;
new MutationObserver(() => {
  if (waits) return;
  waits = true;
  requestAnimationFrame(() => {
    waits = false;
    set('select', 'aria-label', called);
    set('textarea', 'aria-label', called);
    set('input', 'aria-label', called);
    set('.responses-table', 'aria-label', answers);
    set('pre.microlight', 'tabindex', () => '0');
    level('h3.opblock-tag', '2');
    level('.opblock h4', '3');
  });
}).observe(viewer, { childList: true, subtree: true });
