// What a validator of HTML finds in a page as it was served, before any script.

import { HtmlValidate } from "html-validate";

const validator = new HtmlValidate({
  root: true,
  extends: ["html-validate:recommended", "html-validate:standard"],
  elements: ["html5"],
  rules: {
    // A choice of several is made of checkboxes of one name, behind a hidden field of that name which says that it was offered.
    "form-dup-name": "off",
  },
});

/** The findings, each with its rule and what stands there. */
export async function findings(html) {
  const { results } = await validator.validateString(html);
  const lines = html.split("\n");
  return results.flatMap(({ messages }) => messages).map(({ ruleId, message, line, column }) =>
    `${ruleId}: ${message}: ${lines[line - 1].slice(column - 1, column + 79)}`);
}
