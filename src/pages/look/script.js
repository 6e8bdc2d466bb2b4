// Small helps on top of pages that work without: times in the reader's zone, files that are dropped, programs that are copied.
'use strict';
for (const time of document.querySelectorAll('time.instant')) {
  const at = new Date(time.dateTime);
  if (!Number.isNaN(at.getTime())) {
    time.title = time.textContent;
    time.textContent = at.toLocaleString(document.documentElement.lang, { dateStyle: 'short', timeStyle: 'short' });
  }
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
