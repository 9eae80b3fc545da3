/** A page of the explorer in the test's hands: opening views, waiting for texts, filling and pressing by what people read. */

import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "./browser.js";

const SHOWN =
	"document.querySelector('main h1') && !document.querySelector('main').hasAttribute('aria-busy')";
const TAB = "tab:";
const SETTLING_MS = 400;
const PATIENCE_MS = 10_000;

export class Walk {
	readonly faults: string[] = [];
	views = 0;

	constructor(
		readonly page: Page,
		readonly gateway: string,
		private readonly axe: string,
	) {
		page.on("pageerror", (error) => this.faults.push(`script: ${error.message}`));
		page.on("request", (request) => {
			const url = request.url();
			if (!url.startsWith(gateway) && !/^(data|blob):/.test(url)) this.faults.push(`asked ${url}`);
		});
	}

	/** Opens a view and waits until it is there. */
	async open(path: string): Promise<void> {
		await this.page.goto(`${this.gateway}/explorer/#/${path}`);
		await this.page.waitForFunction(SHOWN);
		await delay(SETTLING_MS);
	}

	/** Looks at a view: it is there, as wide as the screen, without findings of axe, and has each of some texts, `tab:…` chooses a part of it. */
	async look(path: string, texts: readonly string[], where: string): Promise<void> {
		this.views++;
		await this.open(path);
		for (const text of texts) {
			if (text.startsWith(TAB)) await this.press(text.slice(TAB.length));
			else await this.shows(text, where);
		}
		const shown = await this.text();
		if (shown.startsWith("Not shown")) this.faults.push(`${where}: ${shown}`);
		await this.check(where);
	}

	/** As wide as the screen, and without findings of axe, as it stands. */
	async check(where: string): Promise<void> {
		const wide = await this.page.evaluate("document.documentElement.scrollWidth > window.innerWidth");
		if (wide) this.faults.push(`${where}: too wide`);
		await this.page.evaluate(this.axe);
		const found = (await this.page.evaluate(
			"axe.run().then((r) => r.violations.map((v) => v.id + ': ' + v.nodes[0].html))",
		)) as string[];
		for (const each of found) this.faults.push(`${where}: axe ${each}`);
	}

	async text(): Promise<string> {
		return String(await this.page.evaluate("document.querySelector('main').innerText"));
	}

	/** Waits until the view has a text. */
	async shows(text: string, where: string): Promise<void> {
		const code = `document.querySelector('main').innerText.includes(${JSON.stringify(text)})`;
		await this.page
			.waitForFunction(code, { timeout: PATIENCE_MS })
			.catch(() => this.faults.push(`${where}: lacks "${text}"`));
	}

	/** Presses the button, or opens the part, of this name. */
	async press(name: string): Promise<void> {
		const pressed = `(() => {
			const all = [...document.querySelectorAll("main button, main summary")];
			const name = ${JSON.stringify(name)};
			const one = all.find((each) => (each.getAttribute("aria-label") ?? each.textContent) === name);
			one?.click();
			return one !== undefined;
		})()`;
		await this.page
			.waitForFunction(pressed, { timeout: PATIENCE_MS })
			.catch(() => this.faults.push(`there is no button "${name}"`));
	}

	/** Puts a text into the field of this label, visible or not; the first of those that are open. */
	async fill(label: string, text: string): Promise<void> {
		const found = await this.page.evaluate(`(() => {
			const label = [...document.querySelectorAll("main label")].find((each) =>
				each.textContent === ${JSON.stringify(label)} && each.checkVisibility());
			const input = label && document.getElementById(label.htmlFor);
			if (!input) return false;
			input.value = ${JSON.stringify(text)};
			input.dispatchEvent(new Event("change"));
			return true;
		})()`);
		if (!found) this.faults.push(`there is no field "${label}"`);
	}
}
