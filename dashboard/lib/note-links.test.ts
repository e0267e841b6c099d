import { expect, test } from "vitest";
import { resolveLink } from "./link-target";
import { linkNotes, type LinkedNotes } from "./note-links";

const ID = "01JABCDEFGHJKMNPQRSTVWXYZ0";
const known: LinkedNotes = new Map([
  ["Clash", { id: "N4", title: "Clash" }],
  [ID, { id: ID, title: "By id" }],
]);
const text = (value: string) => ({ type: "text", value });
const after = (...children: object[]) => {
  const tree = { type: "root", children: [{ type: "paragraph", children }] };
  linkNotes(known)(tree as never);
  return tree.children[0]?.children;
};

test("a title in double brackets and an id become links; the rest of the text stays", () => {
  expect(after(text(`See [[ Clash ]], then ${ID}.`))).toEqual([
    text("See "),
    { type: "link", url: "/note/?id=N4", children: [text("Clash")] },
    text(", then "),
    { type: "link", url: `/note/?id=${ID}`, children: [text("By id")] },
    text("."),
  ]);
});

test("the address of a note and the path of its file become one link", () => {
  const link = { type: "link", url: `/note/?id=${ID}`, children: [text("By id")] };
  expect(after(text(`anamnesis://note/${ID} or ~/.anamnesis/memory/semantic/${ID}.md`))).toEqual([
    link,
    text(" or "),
    link,
  ]);
});

test("text that names no note is left alone", () => {
  expect(after(text("See [[Nobody]] and 01JABCDEFGHJKMNPQRSTVWXYZ9."))).toEqual([
    text("See [[Nobody]] and 01JABCDEFGHJKMNPQRSTVWXYZ9."),
  ]);
});

test("an id in inline code becomes a link; code blocks and link texts are left alone", () => {
  const code = { type: "inlineCode", value: ID };
  expect(after(code)).toEqual([{ type: "link", url: `/note/?id=${ID}`, children: [code] }]);
  const link = { type: "link", url: "https://x", children: [text("[[Clash]]")] };
  expect(after(link)).toEqual([{ type: "link", url: "https://x", children: [text("[[Clash]]")] }]);
});

test("the address of a note leads to the note, on whatever port it was copied from", () => {
  for (const host of ["", "http://localhost:3000", "http://127.0.0.1:8123"]) {
    expect(resolveLink(`${host}/note/?id=N4`)).toEqual({ kind: "note", href: "/note/?id=N4" });
  }
  expect(resolveLink("http://localhost.evil.example/note/?id=N4").kind).toBe("out");
  expect(resolveLink("http://localhost:3000/settings/").kind).toBe("out");
});
