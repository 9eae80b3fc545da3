import { expect, it } from "vitest";
import { budgetAddress } from "../../../src/node/listening/connection-gate.js";

it.each([
	["203.0.113.7", "203.0.113.7"],
	["::ffff:203.0.113.7", "203.0.113.7"],
	["2001:db8:0:1:a:b:c:d", "2001:db8:0:1::/64"],
	["2001:db8:0:1::2", "2001:db8:0:1::/64"],
	["2001:db8::1:2:3:4", "2001:db8:0:0::/64"],
	["2001:db8::", "2001:db8:0:0::/64"],
	["fe80::1%eth0", "fe80:0:0:0::/64"],
	["::1", "0:0:0:0::/64"],
	["::", "0:0:0:0::/64"],
	[undefined, ""],
])("counts a connection of %s against %s", (remoteAddress, counted) => {
	expect(budgetAddress({ remoteAddress })).toBe(counted);
});
