import { describe, expect, it } from "vitest";
import { withServices } from "../../../src/launch/development-options.js";
import { LISTENERS } from "../../../src/launch/listeners.js";
import { parseConfig } from "../../../src/node/config/config.js";

const history = (text: string) => parseConfig(`storage {}, node.history { ${text} }`).node.history;

describe("node.history", () => {
	it("has the index on where a database is named, unless it says off", () => {
		const database = { url: "postgres://coin@db.example/chain", passwordFile: "/p", schema: "coin_history" };
		expect(history(`database = "${database.url}", passwordFile = "/p"`)).toEqual({
			stateBlocks: 0,
			index: true,
			database,
			readOnly: false,
		});
		expect(history(`index = off, database = "${database.url}"`).index).toBe(false);
		expect(history("").index).toBeUndefined();
	});

	it.each([
		['database = "postgres://coin:secret@db/chain"', "must not hold a password"],
		['database = "postgres://coin@db/chain?password=secret"', "must not hold a password"],
		['database = "mysql://coin@db/chain"', "must be of the form postgres://user@host:port/name"],
		['database = "postgres://coin@db"', "must be of the form postgres://user@host:port/name"],
		['database = "postgres://db/chain", schema = "a b"', "must be small letters"],
		['database = "postgres://db/chain", schema = pg_a', "must be small letters"],
		["readOnly = true", "needs node.history.database"],
	])("is refused: %s", (text, reason) => {
		expect(() => history(text)).toThrow(reason);
		try {
			history(text);
		} catch (error) {
			expect(String(error)).not.toContain("secret");
		}
	});
});

describe("a development chain", () => {
	it("takes history and events of a file, and keeps its own state of the past", () => {
		const own = parseConfig("storage {}, node.history.state = 5");
		const file = parseConfig('storage {}, node.history { state = all, database = "postgres://db/chain" }');
		const { history: taken } = withServices(own, file).node;
		expect(taken.stateBlocks).toBe(5);
		expect(taken.database?.url).toBe("postgres://db/chain");
		expect(withServices(own, undefined)).toBe(own);
	});
});

describe("the table of listeners", () => {
	it("has the port of the event queue where events are told", () => {
		const queue = LISTENERS.find(({ setting }) => setting === "event.subscribe.native.bindport");
		const text = "storage {}, event.subscribe { native { useNativeQueue = true, bindport = 6000 } }";
		expect(queue?.of(parseConfig(text))).toEqual({ enabled: false, port: 0 });
		const asked = parseConfig(text, "a.conf", { events: true });
		expect(queue?.of(asked)).toEqual({ enabled: true, port: 6000 });
	});
});
