// Small helps on top of pages that work without: addresses of answers to forms, files that are dropped, all rows of a
// list ticked at once, previews in the form that has the file, programs that are copied, records that a typed text may
// mean, grids into which spreadsheets are pasted, and passkeys, of which browsers tell nobody but scripts.
'use strict';
// The answer to a form gets the address of a page that can be read: Back and Reload then send nothing twice.
for (const answer of document.querySelectorAll('[data-address]')) {
  // A field of a form may be called `dataset`.
  history.replaceState(null, '', answer.getAttribute('data-address') + window.location.hash);
}
for (const drop of document.querySelectorAll('.drop')) {
  const input = drop.querySelector('input[type=file]');
  const over = (event, on) => { event.preventDefault(); drop.classList.toggle('over', on); };
  drop.addEventListener('dragover', (event) => over(event, true));
  drop.addEventListener('dragleave', (event) => over(event, false));
  drop.addEventListener('drop', (event) => {
    over(event, false);
    if (event.dataTransfer.files.length) input.files = event.dataTransfer.files;
  });
}
// All rows of a list are ticked with one.
for (const form of document.querySelectorAll('form.ticked')) {
  const all = document.createElement('input');
  all.type = 'checkbox';
  all.setAttribute('aria-label', form.dataset.all);
  all.addEventListener('change', () => {
    for (const tick of form.querySelectorAll('tbody input[type=checkbox]')) tick.checked = all.checked;
  });
  form.querySelector('thead th').prepend(all, ' ');
}
// A page cannot give a file back to the form of the next one, so the preview comes to the form.
for (const button of document.querySelectorAll('button[data-preview]')) {
  const { form } = button;
  const place = document.createElement('section');
  place.className = 'preview';
  place.tabIndex = -1;
  // Before the file, which is the last part that is read: the preview has choices.
  (form.querySelector('.drop') || form).before(place);
  button.addEventListener('click', async (event) => {
    if (!form.reportValidity()) return;
    event.preventDefault();
    button.disabled = true;
    try {
      const answer = await fetch(button.formAction, { method: 'POST', body: new FormData(form) });
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const preview = page.querySelector('.preview');
      if (!preview) throw new Error('another page');
      const head = document.createElement('h2');
      head.textContent = page.querySelector('h1').textContent;
      for (const part of preview.querySelectorAll('h2')) {
        const below = document.createElement('h3');
        below.textContent = part.textContent;
        part.replaceWith(below);
      }
      place.replaceChildren(head, ...preview.childNodes);
      place.focus();
    } catch {
      form.action = button.formAction;
      form.submit();
    } finally {
      button.disabled = false;
    }
  });
}

const keys = window.PublicKeyCredential;
if (keys && keys.parseRequestOptionsFromJSON && keys.parseCreationOptionsFromJSON) {
  const ask = async (address, body) => {
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-language': document.documentElement.lang },
      body: JSON.stringify(body),
    });
    const result = await answer.json();
    if (answer.ok) return result;
    const [refused] = result.errors || [result];
    throw Object.assign(new Error(refused.message), { errorName: refused.name });
  };
  const key = {
    get: async (publicKey) => navigator.credentials.get({ publicKey: keys.parseRequestOptionsFromJSON(publicKey) }),
    create: async (publicKey) => navigator.credentials.create({ publicKey: keys.parseCreationOptionsFromJSON(publicKey) }),
  };
  for (const form of document.querySelectorAll('form.passkey')) {
    const fault = form.querySelector('[role=alert]');
    const button = form.querySelector('button');
    form.hidden = false;
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      fault.textContent = '';
      button.disabled = true;
      const { name, ...proof } = Object.fromEntries(new FormData(form));
      if (!proof.code) delete proof.code;
      try {
        const { publicKey } = await ask(form.dataset.options, proof);
        const made = await key[form.dataset.kind](publicKey).catch(() => { throw new Error(form.dataset.failed); });
        const credential = made.toJSON();
        await ask(form.dataset.answer, name === undefined ? { credential } : { name, credential });
        window.location.assign(form.dataset.next);
      } catch (refused) {
        const code = form.querySelector('.code');
        if (code && refused.errorName === 'SecondFactorRequired') code.hidden = false;
        fault.textContent = refused.message;
        button.disabled = false;
      }
    });
  }
}

for (const program of navigator.clipboard ? document.querySelectorAll('[data-copy]') : []) {
  const row = document.createElement('div');
  const button = document.createElement('button');
  row.className = 'copying';
  button.type = 'button';
  button.className = 'second';
  button.textContent = program.dataset.copy;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(program.textContent);
    button.textContent = program.dataset.copied;
  });
  row.append(button);
  program.before(row);
}

// What a text may mean that is being typed: one list, for the field in which somebody types.
const choices = document.createElement('datalist');
choices.id = 'choices';
document.body.append(choices);
let waits;
document.addEventListener('input', ({ target: input }) => {
  if (!input.dataset.choices) return;
  clearTimeout(waits);
  input.setAttribute('list', choices.id);
  input.autocomplete = 'off';
  const text = input.value.trim();
  // A chosen record begins with its id.
  if (text.startsWith('[')) return;
  waits = setTimeout(async () => {
    const answer = await fetch(`${input.dataset.choices}&q=${encodeURIComponent(text)}`);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (input.value.trim() === text) choices.replaceChildren(...page.querySelectorAll('datalist option'));
  }, 250);
});

for (const grid of document.querySelectorAll('table.grid')) {
  const [body] = grid.tBodies;
  const cells = (row) => [...row.querySelectorAll('input:not([type=hidden]), select')];
  // Rows that have cells; columns are counted from the last one, since only some rows begin with the animal.
  const rows = () => [...body.rows].map(cells).filter((row) => row.length);
  const placeOf = (cell) => {
    const all = rows();
    const down = all.findIndex((row) => row.includes(cell));
    return { all, down, right: down < 0 ? 0 : all[down].indexOf(cell) - all[down].length };
  };
  const over = document.querySelector('[data-over]');
  // One more row like the last one, which is for any animal.
  const add = () => {
    const last = body.rows[body.rows.length - 1];
    if (!last.querySelector('[data-choices]') || body.rows.length >= Number(grid.dataset.most)) return false;
    const row = last.cloneNode(true);
    const [, number] = /^rows\.(\d+)\./.exec(cells(row)[0].name);
    for (const part of row.querySelectorAll('[name], [for], [id]')) {
      for (const { name, value } of [...part.attributes]) {
        part.setAttribute(name, value.replace(/^(rows\.|f-rows-)\d+/, `$1${Number(number) + 1}`));
      }
    }
    for (const cell of cells(row)) cell.value = '';
    for (const fault of row.querySelectorAll('.fault')) fault.remove();
    body.append(row);
    return true;
  };
  grid.addEventListener('keydown', (event) => {
    const { all, down, right } = placeOf(event.target);
    if (event.key !== 'Enter' || down < 0) return;
    event.preventDefault();
    const below = all[down + 1] && all[down + 1].at(right);
    (below || grid.closest('form').querySelector('.choose button')).focus();
  });
  grid.addEventListener('paste', (event) => {
    const lines = event.clipboardData.getData('text').replace(/\r?\n$/, '').split(/\r?\n/).map((line) => line.split('\t'));
    const { all, down, right } = placeOf(event.target);
    if (down < 0 || (lines.length < 2 && lines[0].length < 2)) return;
    event.preventDefault();
    const there = (place) => rows()[place] || (all[down].length === all.at(-1).length && add() && rows()[place]);
    const fits = lines.every((texts, line) => {
      const row = there(down + line);
      texts.forEach((text, column) => {
        const cell = row && right + column < 0 && row.at(right + column);
        if (cell) cell.value = text.trim();
      });
      return row;
    });
    over.textContent = over.dataset.over;
    over.hidden = Boolean(fits);
  });
}
