/** What people do on the page: read and send calls, look into storage, filter and save a history, own a chain, search. */

import { hexAddress } from "../../src/explorer/address-text.js";
import type { Chain } from "./chain.js";
import type { Walk } from "./walk.js";

/** Reading, trying and sending calls of a contract, tuples among the results, and its storage. */
export async function useContract(walk: Walk, chain: Chain): Promise<void> {
	await walk.open(`account/${chain.store}`);
	await walk.shows("Read", "contract");
	await walk.press("Read");
	await walk.press("pairs()");
	await walk.press("Read pairs");
	await walk.shows("who: ", "a list of tuples");
	await walk.press("Write");
	await walk.press("set(uint256,string)");
	await walk.fill("next (uint256)", "2000");
	await walk.fill("note (string)", "by hand");
	await walk.press("Try set");
	await walk.shows("TooLarge", "a call that would be refused");
	await walk.fill("next (uint256)", "not a number");
	await walk.press("Try set");
	await walk.shows('"not a number" is not a whole number', "an argument that doesn't fit");
	await walk.fill("next (uint256)", "77");
	await walk.fill("Coins to send with it", "0.5");
	await walk.press("Try set");
	await walk.shows("it would succeed", "a call that would succeed");
	await walk.press("Send set");
	await walk.shows("sent: ", "a call that is sent");
	await walk.press("Storage");
	await walk.fill("paid of (address)", chain.payer);
	await walk.press("Look up paid");
	await walk.shows("500005", "a mapping's value by the layout");
	await walk.fill("Slot", "0");
	await walk.press("Read the slot");
	await walk.shows("= 77", "a slot by hand");
	await walk.check("a contract in use");
}

/** A wallet extension that this page finds: it shows what it is given, and signs nothing. */
export async function useExtension(walk: Walk, chain: Chain): Promise<void> {
	await walk.page.evaluate(`window.tron = {
		request: async ({ method }) => { window.asked = method; return []; },
		tronWeb: {
			defaultAddress: { base58: ${JSON.stringify(chain.payee)} },
			trx: { sign: async (transaction) => { window.given = transaction; throw new Error("the user said no"); } },
		},
	}`);
	await walk.page.evaluate("location.hash = '#/'");
	await walk.page.waitForFunction("document.querySelector('main h1')?.textContent === 'Overview'");
	await walk.page.evaluate(`location.hash = '#/account/${chain.store}'`);
	await walk.press("Write");
	await walk.shows("wallet extension of this browser", "a wallet extension");
	await walk.press("set(uint256,string)");
	await walk.fill("next (uint256)", "5");
	await walk.fill("note (string)", "x");
	await walk.press("Send set");
	await walk.shows("the user said no", "what the extension refuses");
	const given = String(await walk.page.evaluate("JSON.stringify([window.asked, window.given])"));
	const owner = hexAddress(chain.payee) ?? "";
	if (!given.includes("eth_requestAccounts") || !given.includes(owner))
		walk.faults.push(`the extension got ${given}`);
}

/** A history with filters, and as a file. */
export async function useHistory(walk: Walk, chain: Chain): Promise<void> {
	await walk.page.evaluate(
		`URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return "blob:x"; }`,
	);
	await walk.page.evaluate(`location.hash = '#/account/${chain.payee}'`);
	await walk.shows("History", "history");
	await walk.press("QR code");
	await walk.page
		.waitForFunction("document.querySelector('main svg.qr path') !== null", { timeout: 10_000 })
		.catch(() => walk.faults.push("there is no QR code"));
	await walk.fill("Direction", "to");
	await walk.shows("12.5 coin", "what was received");
	await walk.press("Save as CSV");
	await walk.page
		.waitForFunction(`window.saved?.includes(${JSON.stringify(chain.payment)})`, { timeout: 10_000 })
		.catch(() => walk.faults.push("the file of the history lacks the payment"));
	await walk.fill("Direction", "from");
	const code = `!document.querySelector('main').innerText.includes('12.5 coin')`;
	await walk.page.waitForFunction(code).catch(() => walk.faults.push("the filter leaves nothing out"));
}

/** A payment that waits is not taken for one that is done, whatever form its id comes in. */
export async function watchPayment(walk: Walk, chain: Chain): Promise<void> {
	const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
		const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
		const answer = await fetch(`${walk.gateway}/jsonrpc`, { method: "POST", body });
		return ((await answer.json()) as { result: unknown }).result;
	};
	const [from, to] = [chain.payer, chain.payee].map((each) => `0x${hexAddress(each)?.slice(2)}`);
	await ask("dev_setSealing", ["manual"]);
	const id = String(await ask("eth_sendTransaction", [{ from, to, value: "0x5" }]));
	await walk.open(`tx/${encodeURIComponent(`${id.slice(0, 40)} ${id.slice(40)}`)}`);
	await walk.shows("waits for a block", "a payment that waits");
	await ask("dev_mine", [{ blocks: 1 }]);
	await walk.shows("succeeded", "a payment that waited");
	await ask("dev_setSealing", ["instant"]);
	await walk.open("tx/77abc");
	await walk.shows("64 hexadecimal digits", "a part of an id");
}

/** Each thing that the owner of a development chain can do. */
export async function ownChain(walk: Walk, chain: Chain): Promise<void> {
	await walk.open("development");
	await walk.press("Take a snapshot");
	await walk.shows("snapshot 0x", "a snapshot");
	await walk.fill("Blocks", "3");
	await walk.press("Mine");
	await walk.shows("mined 3", "mining");
	await walk.fill("Seconds", "86400");
	await walk.press("Move the clock on");
	await walk.shows("the clock is 1 d further", "the clock");
	await walk.press("Maintenance");
	await walk.shows("votes were counted", "maintenance");
	// The fields of faucet and impersonation have the same label: the faucet's stands first.
	await walk.fill("Account", chain.payee);
	await walk.fill("Coins", "12.5");
	await walk.press("Give");
	await walk.shows("gave 12.5 coin", "the faucet");
	await walk.page.evaluate(
		`document.getElementById("f-impersonated").value = ${JSON.stringify(chain.payee)}`,
	);
	await walk.press("Begin");
	await walk.shows("it acts without signatures", "impersonation");
	await walk.press(`Stop impersonating ${chain.payee}`);
	await walk.shows("it signs again", "the end of impersonation");
	await walk.press(`Show the key of ${chain.payer}`);
	await walk.check("a development chain in use");
	await walk.press("Blocks by hand");
	await walk.shows("blocks come when they are mined", "sealing");
	await walk.press("A block a transaction");
	await walk.press("Go back to it: snapshot 0x1");
	await walk.shows("the chain is as it was", "going back");
}

/** A head that is told over the WebSocket appears on the page without being asked for. */
export async function watchHead(walk: Walk): Promise<void> {
	await walk.open("");
	const live = "document.getElementById('head').textContent.endsWith('live')";
	await walk.page.waitForFunction(live).catch(() => walk.faults.push("the head is not live"));
	const before = Number(await walk.page.evaluate("document.querySelector('main tbody a').textContent"));
	const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "dev_mine", params: [{ blocks: 2 }] });
	await fetch(`${walk.gateway}/jsonrpc`, { method: "POST", body });
	await walk.page
		.waitForFunction(`Number(document.querySelector('main tbody a').textContent) === ${before + 2}`, {
			timeout: 2_000,
		})
		.catch(() => walk.faults.push("new blocks don't appear within two seconds"));
}

/** The value of a chart by keys. */
export async function useChart(walk: Walk): Promise<void> {
	await walk.open("charts");
	const chosen = "document.querySelector('main .plot').getAttribute('aria-valuetext')";
	const last = String(await walk.page.evaluate(chosen));
	await walk.page.evaluate("document.querySelector('main .plot').focus()");
	await walk.page.keyboard.press("ArrowLeft");
	const before = String(await walk.page.evaluate(chosen));
	if (!/^block [\d,]+, .* UTC: [\d,]+ transactions?$/.test(before) || before === last)
		walk.faults.push(`a key leads from "${last}" to "${before}"`);
	await walk.shows(before, "the value of a chart");
}

/** By keyboard alone: from the search field to each kind of thing. */
export async function search(walk: Walk, chain: Chain): Promise<void> {
	const terms: readonly (readonly [typed: string, path: string])[] = [
		[chain.called, `tx/${chain.called}`],
		[`0x${chain.called}`, `tx/${chain.called}`],
		["1", "block/1"],
		[chain.payer, `account/${chain.payer}`],
		[hexAddress(chain.payer) ?? "", `account/${chain.payer}`],
		[`0x${hexAddress(chain.payer)?.slice(2)}`, `account/${chain.payer}`],
		[chain.store, `account/${chain.store}`],
		["Acorns", `token/${chain.token}`],
		[chain.token, `token/${chain.token}`],
		["localhost", `witness/${chain.producer}`],
		["proposal 1", "proposal/1"],
		["acr", `token/${chain.token}`],
		["Store", `account/${chain.store}`],
		["EnergyFee", "parameters"],
	];
	for (const [typed, path] of terms) {
		await walk.open("");
		await walk.page.evaluate("document.getElementById('query').value = ''");
		await walk.page.type("#query", typed);
		await walk.page.keyboard.press("Enter");
		await walk.page
			.waitForFunction(`location.hash === '#/${path}'`, { timeout: 5_000 })
			.catch(() => walk.faults.push(`the search for ${typed} doesn't find ${path}`));
	}
	await walk.open("search/0xa9059cbb");
	await walk.shows("function transfer(address,uint256)", "a selector");
	await walk.open(`search/${encodeURIComponent("set(uint256,string)")}`);
	await walk.shows(`${chain.store}, by its interface`, "contracts that have a function");
	await contacts(walk, chain);
	await byKeyboard(walk);
}

/** A list that the reader chooses: found, shown as badges, forgotten. */
async function contacts(walk: Walk, chain: Chain): Promise<void> {
	await walk.open("search/nobody");
	const list = JSON.stringify({ version: 1, contacts: [{ label: "the payer", address: chain.payer }] });
	await walk.page.evaluate(`(() => {
		const files = new DataTransfer();
		files.items.add(new File([${JSON.stringify(list)}], "contacts.json"));
		const field = document.getElementById("contacts");
		field.files = files.files;
		field.dispatchEvent(new Event("change"));
	})()`);
	await walk.shows("Forget 1 contacts", "a list of contacts");
	await walk.check("search with contacts");
	await walk.open(`tx/${chain.called}`);
	await walk.shows("the payer", "a contact's label");
	await walk.open("search/PAYER");
	const opened = `location.hash === '#/account/${chain.payer}'`;
	await walk.page
		.waitForFunction(opened, { timeout: 5_000 })
		.catch(() => walk.faults.push("the search doesn't find a contact"));
	await walk.open("search/nobody");
	await walk.press("Forget 1 contacts");
	await walk.page
		.waitForFunction("localStorage.length === 0", { timeout: 5_000 })
		.catch(() => walk.faults.push("contacts aren't forgotten"));
}

/** From the top of the page: skip link, field, button, and on to the first view by Tab and Enter. */
async function byKeyboard(walk: Walk): Promise<void> {
	await walk.open("charts");
	// Another view takes the focus to itself: a page that was just loaded begins at its top.
	await walk.page.reload();
	await walk.open("charts");
	const seen: string[] = [];
	for (let presses = 0; presses < 7; presses++) {
		await walk.page.keyboard.press("Tab");
		seen.push(
			String(await walk.page.evaluate("document.activeElement.textContent || document.activeElement.id")),
		);
	}
	for (const name of ["Skip to the content", "query", "Search", "Overview", "Pending"])
		if (!seen.includes(name)) walk.faults.push(`Tab doesn't reach ${name}, but ${seen.join(", ")}`);
	await walk.page.keyboard.press("Enter");
	const title = "document.querySelector('main h1')?.textContent === 'Tokens'";
	await walk.page
		.waitForFunction(title, { timeout: 5_000 })
		.catch(() => walk.faults.push("Enter doesn't open a view"));
}
