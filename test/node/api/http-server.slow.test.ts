import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HttpNode, POOR_HEX, RICH_HEX, startHttpNode } from "./http-node.js";

const JSON_TYPE = "application/json;charset=utf-8";
const HTML = "text/html;charset=iso-8859-1";

let node: HttpNode;
beforeAll(async () => {
	node = await startHttpNode('node.disabledApi = ["GetNowBlock"]\nnode.http.maxMessageSize = 100000');
});
afterAll(() => node.close());

/** protocol/http §1.2, and what the recordings add to it. */
const ROUTES: readonly (readonly [string, string, number, string | undefined, string | undefined])[] = [
	["GET", "/wallet/getaccount", 200, JSON_TYPE, undefined],
	["HEAD", "/wallet/getaccount", 200, JSON_TYPE, undefined],
	["GET", "/wallet/nosuch", 404, HTML, undefined],
	["GET", "/wallet/getaccount/", 404, HTML, undefined],
	["GET", "/wallet/GetAccount", 404, HTML, undefined],
	["GET", "//wallet/getaccount", 404, HTML, undefined],
	["GET", "/wallet/./getaccount", 200, JSON_TYPE, undefined],
	["GET", "/wallet/x/../getaccount", 200, JSON_TYPE, undefined],
	["GET", "/wallet/getaccount;x=1", 200, JSON_TYPE, undefined],
	["GET", "/wallet/get%61ccount", 200, JSON_TYPE, undefined],
	["POST", "/wallet/nosuch", 405, HTML, undefined],
	["POST", "/", 405, HTML, undefined],
	["GET", "/wallet/createaccount", 405, HTML, undefined],
	["HEAD", "/wallet/createaccount", 405, HTML, undefined],
	["GET", "/wallet/createtransaction", 200, JSON_TYPE, undefined],
	["POST", "/monitor/getstatsinfo", 405, HTML, undefined],
	["PUT", "/wallet/getaccount", 405, undefined, undefined],
	["DELETE", "/wallet/nosuch", 405, undefined, undefined],
	["PATCH", "/wallet/getaccount", 501, undefined, undefined],
	["TRACE", "/wallet/getaccount", 200, "message/http", undefined],
	["OPTIONS", "/wallet/getaccount", 200, JSON_TYPE, "GET, HEAD, POST, TRACE, OPTIONS"],
	["OPTIONS", "/wallet/broadcasthex", 200, JSON_TYPE, "POST, TRACE, OPTIONS"],
	["OPTIONS", "/monitor/getstatsinfo", 200, JSON_TYPE, "GET, HEAD, TRACE, OPTIONS"],
	["OPTIONS", "/wallet/nosuch", 200, undefined, "GET, HEAD, TRACE, OPTIONS"],
];

describe("the full node's HTTP server", () => {
	it.each(ROUTES)("answers %s %s with %i", async (method, path, status, type, allow) => {
		const answer = await node.ask(path, { method });
		expect([answer.status, answer.type, answer.headers["allow"]]).toEqual([status, type, allow]);
	});

	it("shows an error as JSON with the members and line feeds of the network's (recording apis-http-build, head 114)", async () => {
		const { text } = await node.ask("/wallet/nosuch", { headers: { Accept: "application/json" } });
		expect(text.replace(/^(\{\n"servlet":)"[^"]+"/, '$1"…"')).toBe(
			'{\n"servlet":"…",\n"message":"Not Found",\n"url":"/wallet/nosuch",\n"status":"404"\n}',
		);
	});

	it.each([
		["application/json", "application/json"],
		["text/json", "text/json"],
		["text/plain", "text/plain;charset=iso-8859-1"],
		["text/html", HTML],
		["*/*", HTML],
		["image/png", HTML],
	])("shows an error page to a client that accepts %s", async (accept, type) => {
		const answer = await node.ask("/wallet/nosuch", { headers: { Accept: accept } });
		expect(answer.type).toBe(type);
		expect(answer.headers["cache-control"]).toBe("must-revalidate,no-cache,no-store");
		expect(answer.text).toContain("/wallet/nosuch");
	});

	it("does not let a path write markup into its error page", async () => {
		expect((await node.ask("/wallet/<b>")).text).not.toContain("<b>");
	});

	it("refuses a request line that is too long, and a head that is", async () => {
		expect((await node.ask(`/wallet/getaccount?address=${"a".repeat(8200)}`)).status).toBe(414);
		expect((await node.ask("/wallet/getaccount", { headers: { x: "a".repeat(8200) } })).status).toBe(431);
	});

	it("refuses a method that HTTP doesn't know", async () => {
		expect(await rawStatus("NOSUCH /wallet/getaccount HTTP/1.1\r\nHost: x\r\n\r\n")).toBe(
			"HTTP/1.1 501 Not Implemented",
		);
	});

	it("says that a disabled endpoint is unavailable, in any case of its name", async () => {
		const answer = await node.ask("/wallet/getnowblock");
		expect([answer.status, answer.type]).toEqual([404, JSON_TYPE]);
		expect(answer.text).toBe('{"Error":"this API is unavailable due to config"}\n');
	});

	it.each([
		["/wallet//getnowblock", 404, JSON_TYPE],
		["/wallet/getnowblock/", 404, JSON_TYPE],
		["/wallet/x/../GETNOWBLOCK", 404, JSON_TYPE],
		["/monitor/getnowblock", 404, JSON_TYPE],
		["/walletsolidity/getnowblock", 404, HTML],
	])("looks for the disabled name in %s", async (path, status, type) => {
		const answer = await node.ask(path);
		expect([answer.status, answer.type]).toEqual([status, type]);
	});

	it("waits for its turn, and says so who waited in vain", async () => {
		const limited = await startHttpNode(`rate.limiter.http = [
			{ component = "BroadcastServlet", strategy = "GlobalPreemptibleAdapter", paramString = "permit=1" }
			{ component = "GetRewardServlet", strategy = "QpsRateLimiterAdapter", paramString = "qps=4" }
		]`);
		const started = performance.now();
		const ask = () => limited.ask("/wallet/getReward");
		await Promise.all([ask(), ask(), ask(), ask(), ask(), ask(), ask()]);
		expect(performance.now() - started).toBeGreaterThan(300);
		// A body that doesn't come holds the permit.
		const socket = connect(limited.port, "127.0.0.1");
		socket.write("POST /wallet/broadcasttransaction HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n");
		const broadcast = async () => (await limited.post("/wallet/broadcasttransaction", {})).text;
		await expect
			.poll(broadcast)
			.toBe('{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}\n');
		socket.destroy();
		await expect.poll(broadcast).toContain("NullPointerException");
		await limited.close();
	});

	it("ends each answer with a line feed and sends no other headers of its own", async () => {
		const answer = await node.ask("/wallet/getaccount");
		expect(answer.text).toBe("{}\n");
		expect(answer.headers["content-length"]).toBe("3");
		expect(answer.headers["transfer-encoding"]).toBeUndefined();
		expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
		expect(answer.headers["x-powered-by"]).toBeUndefined();
	});

	it("limits the size of a body where the endpoint reads it, up to release 4.8.1", async () => {
		const older = await startHttpNode("node.release = 4.8.1\nnode.rpc.maxMessageSize = 100000");
		const body = JSON.stringify({ x: "a".repeat(100_000) });
		expect((await older.ask("/wallet/getaccount", { body })).json).toEqual({
			Error: "class java.lang.Exception : body size is too big, the limit is 100000",
		});
		expect((await older.ask("/wallet/listwitnesses", { body })).text).toContain("witnesses");
		expect((await older.ask("/wallet/broadcasthex", { body })).json["code"]).toBe("CONTRACT_VALIDATE_ERROR");
		await older.close();
	});

	it("serves both spellings of a name", async () => {
		expect((await node.ask("/wallet/getburntrx")).json).toEqual({ burnTrxAmount: 0 });
		expect((await node.ask("/wallet/getburncoin")).text).toBe('{"burnTrxAmount": 0}\n');
	});
});

/** The first line of the answer to a request that no client would send. */
function rawStatus(head: string): Promise<string> {
	return new Promise((resolve, reject) => {
		const socket = connect(node.port, "127.0.0.1", () => socket.write(head));
		socket.on("error", reject);
		socket.once("data", (data) => {
			resolve(String(data).split("\r\n")[0] ?? "");
			socket.destroy();
		});
	});
}

describe("the solidity and PBFT servers", () => {
	it.each([
		["solidity", "GET", "/walletsolidity/getaccount", 200],
		["solidity", "GET", "/wallet/getnodeinfo", 200],
		["solidity", "GET", "/wallet/getaccount", 404],
		["solidity", "POST", "/walletsolidity/createtransaction", 405],
		["pbft", "GET", "/walletpbft/getaccount", 200],
		["pbft", "GET", "/walletpbft/gettransactioninfobyblocknum", 404],
		["pbft", "POST", "/walletsolidity/getaccount", 404],
		["pbft", "PUT", "/walletsolidity/getaccount", 404],
		["pbft", "PUT", "/walletpbft/getaccount", 405],
		["pbft", "GET", "/walletpbft", 302],
	] as const)("have on %s for %s %s the status %i", async (server, method, path, status) => {
		expect((await node.ask(path, { server, method })).status).toBe(status);
	});
});

describe("a request's body", () => {
	const account = (body: string | Uint8Array, type: string) =>
		node.ask("/wallet/getaccount", { body, headers: { "Content-Type": type } });

	it("may be a form where the content type says exactly so", async () => {
		const form = `address=${RICH_HEX}`;
		expect((await account(form, "application/x-www-form-urlencoded")).json["address"]).toBe(RICH_HEX);
		expect((await account(form, "application/x-www-form-urlencoded; charset=UTF-8")).text).toContain(
			"JSONException",
		);
		expect(
			(await account(`{"address":"${RICH_HEX}"}`, "application/x-www-form-urlencoded")).json["address"],
		).toBe(RICH_HEX);
	});

	it.each([
		["application/json", "é"],
		["application/json; charset=ISO-8859-1", "Ã"],
		["text/plain", "Ã"],
		["text/plain; charset=UTF-8", "é"],
	])("of type %s has its characters read as that says", async (type, character) => {
		const older = await startHttpNode("node.release = 4.8.1");
		const body = '{"address":"Té","visible":true}';
		const answer = await older.ask("/wallet/getaccount", { body, headers: { "Content-Type": type } });
		await older.close();
		expect(answer.text).toContain(`Illegal character ${character} at 1`);
	});

	it("is ignored by endpoints that only read the query", async () => {
		expect((await node.post("/wallet/listwitnesses", "{")).status).toBe(200);
		expect((await node.post("/wallet/listwitnesses", { visible: true })).text).toContain(
			`"address": "${POOR_HEX}"`,
		);
		expect((await node.post("/wallet/listwitnesses?visible=true", {})).text).not.toContain(POOR_HEX);
	});

	it("is refused up to release 4.8.1 where the query is malformed", async () => {
		const older = await startHttpNode("node.release = 4.8.1");
		const { text } = await older.ask("/wallet/getaccount?address=%zz");
		await older.close();
		expect(text).toContain("400: Unable to parse URI query");
	});
});
