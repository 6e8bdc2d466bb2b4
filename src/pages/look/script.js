// Small helps on top of pages that work without: times in the reader's zone, and files that are dropped.
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
