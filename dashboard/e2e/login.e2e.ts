// Login: the printed address opens the page for all tabs, and nothing else does.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { World } from "./world.ts";

let world: World;
let other: Server;
let otherUrl = "";

beforeEach(async () => {
  world = new World();
  world.write("Private", "walrus");
  await world.serve();
  other = createServer((request, answer) => {
    const link = `<a href="${world.url}${request.url}">to the dashboard</a>`;
    answer.setHeader("content-type", "text/html").end(link);
  });
  await new Promise<void>((ready) => other.listen(0, "127.0.0.1", ready));
  otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
});
afterEach(async () => {
  other.close();
  await world.end();
});

test("the printed address opens the page, leaves no token behind, and lasts over reloads and tabs", async () => {
  const page = await world.openTab();
  const referrers: string[] = [];
  page.on("request", (request) => referrers.push(request.headers().referer ?? ""));
  await page.goto(world.address);
  await page.getByRole("heading", { name: /1 note from 1 machine/ }).waitFor();
  expect(page.url()).toBe(`${world.url}/`);
  expect(await page.evaluate(() => document.cookie)).toBe("");
  await page.getByRole("link", { name: "Notes" }).first().click();
  await page.waitForURL("**/notes/");
  // The first page lists the note too, and may still be rendered when the URL has changed.
  await page
    .getByRole("list", { name: "Notes" })
    .getByRole("link", { name: /Private/ })
    .click();
  await page.getByText("walrus").waitFor();
  await page.reload();
  await page.getByText("walrus").waitFor();
  expect(referrers.filter(Boolean)).toEqual([]);
  const second = await world.openTab();
  await second.goto(`${world.url}/note/new/`);
  await second.getByLabel("Title").fill("From a second tab");
  await second.getByLabel("Text, in markdown").fill("text");
  await second.getByRole("button", { name: "Write note" }).click();
  await second.getByRole("heading", { name: "From a second tab" }).waitFor();
  await page.goto(`${world.url}/notes/`);
  for (const before of [/\/note\//, /\/notes\/$/, /:\d+\/$/]) {
    await page.goBack();
    await page.waitForURL(before);
    expect(page.url()).not.toContain("token");
  }
  expect(world.complaints).toEqual([]);
});

test("without the address, every path shows one page that explains how to log in", async () => {
  const page = await world.openTab();
  for (const path of ["/", "/notes/", "/?token=guessed", "/note/?id=x", "/theme.js"]) {
    const answer = await page.goto(world.url + path);
    expect(answer?.status(), path).toBe(401);
    await page.getByRole("heading", { name: "This dashboard is locked" }).waitFor();
    expect(await page.getByText("Private").count()).toBe(0);
  }
  await page.goto(world.address);
  await page.getByRole("heading", { name: /1 note from 1 machine/ }).waitFor();
});

test("after a restart the old cookie gets the login page, until the new address is opened", async () => {
  const page = await world.open("/notes/");
  await page.getByRole("link", { name: /Private/ }).waitFor();
  world.stopServing();
  await page.getByText("The dashboard server does not answer.").waitFor();
  await world.serve({ port: Number(new URL(world.url).port) });
  await page.getByText("The dashboard was restarted.").waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "This dashboard is locked" }).waitFor();
  await page.goto(world.address);
  await page.getByRole("heading", { name: /1 note from 1 machine/ }).waitFor();
});

test("a link on another site opens the page only in a browser that is logged in", async () => {
  const page = await world.openTab();
  await page.goto(`${otherUrl}/notes/`);
  await page.getByRole("link").click();
  await page.getByRole("heading", { name: "This dashboard is locked" }).waitFor();
  // The address itself may be such a link, in a terminal that runs in the browser.
  await page.goto(`${otherUrl}${new URL(world.address).search}`.replace("?", "/?"));
  await page.getByRole("link").click();
  await page.getByRole("heading", { name: /1 note from 1 machine/ }).waitFor();
  expect(page.url()).toBe(`${world.url}/`);
  await page.goto(`${otherUrl}/notes/?q=walrus`);
  await page.getByRole("link").click();
  await page.getByRole("link", { name: /Private/ }).waitFor();
  expect(page.url()).toBe(`${world.url}/notes/?q=walrus`);
});
