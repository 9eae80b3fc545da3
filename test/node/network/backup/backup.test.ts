import { beforeEach, describe, expect, it } from "vitest";
import {
	Backup,
	type BackupOptions,
	type BackupStatus,
	decodeKeepAlive,
	encodeKeepAlive,
} from "../../../../src/node/network/backup/backup.js";
import type { DatagramPort } from "../../../../src/node/network/environment.js";
import { fromHex, toHex } from "../../../../src/protocol/bytes.js";
import type { SimulatedEnvironment } from "../../../simulation/environment.js";
import { SimulatedWorld } from "../../../simulation/world.js";

const PORT = 10_001;
const A = "10.0.0.1";
const B = "10.0.0.2";
const C = "10.0.0.3";

let world: SimulatedWorld;

beforeEach(() => {
	world = new SimulatedWorld();
});

function create(
	host: string,
	change: Partial<BackupOptions> = {},
	environment?: SimulatedEnvironment,
): Backup {
	return new Backup(environment ?? world.host(host).boot(), {
		priority: 8,
		port: PORT,
		keepAliveIntervalMs: 3_000,
		members: [A, B, C],
		ownHost: host,
		...change,
	});
}

function started(host: string, change: Partial<BackupOptions> = {}): Backup {
	const backup = create(host, change);
	backup.applied(world.now);
	return backup;
}

/** A member whose words a test chooses. */
async function member(
	host: string,
	of = A,
): Promise<{ say(isMaster: boolean, priority: number): void; heard: string[] }> {
	const heard: string[] = [];
	const port: DatagramPort = await world
		.host(host)
		.boot()
		.bindDatagrams({ port: PORT }, (datagram) => heard.push(toHex(datagram)));
	const say = (isMaster: boolean, priority: number) =>
		port.send(encodeKeepAlive({ isMaster, priority }), { host: of, port: PORT });
	return { say, heard };
}

describe("the backup of a witness", () => {
	it.each<[string, Partial<BackupOptions>]>([
		["without members", { members: [] }],
		["of which it is the only member", { members: [A] }],
		["without a port", { port: 0 }],
	])("doesn't concern a node %s: it is always the master", async (_, change) => {
		const backup = started(A, change);
		await world.advance(60_000);
		expect(backup.status).toBe("MASTER");
	});

	it("begins with the first block that is younger than three seconds", async () => {
		const backup = create(A);
		await world.advance(10_000);
		backup.applied(world.now - 3_000);
		expect(backup.status).toBe("MASTER");
		backup.applied(world.now - 2_999);
		expect(backup.status).toBe("INIT");
	});

	it("makes a node the master that hears no one for six intervals, and it says so", async () => {
		const other = await member(B);
		const backup = started(A);
		await world.advance(18_900);
		expect([backup.status, other.heard.length]).toEqual(["INIT", 6]);
		await world.advance(1_000);
		expect(backup.status).toBe("MASTER");
		expect(other.heard.slice(-2)).toEqual(["051008", "0508011008"]);
	});

	it.each<[string, string, boolean, number, BackupStatus]>([
		["a master", C, true, 0, "SLAVER"],
		["a higher priority", A, false, 9, "SLAVER"],
		["the same priority and a later address", C, false, 8, "SLAVER"],
		["the same priority and an earlier address", A, false, 8, "INIT"],
		["a lower priority", C, false, 7, "INIT"],
	])(
		"makes a node that begins and hears of %s wait, or not",
		async (_, host, isMaster, priority, expected) => {
			const other = await member(host, B);
			const backup = started(B);
			await world.advance(2_000);
			other.say(isMaster, priority);
			await world.advance(500);
			expect(backup.status).toBe(expected);
		},
	);

	it.each<[string, string, boolean, number, BackupStatus]>([
		["a master of higher priority", B, true, 9, "SLAVER"],
		["a master of equal priority and later address", B, true, 8, "SLAVER"],
		["a master of lower priority", B, true, 7, "MASTER"],
		["a higher priority that is not a master", B, false, 9, "MASTER"],
	])("lets a master yield to %s only if it must", async (_, host, isMaster, priority, expected) => {
		const other = await member(host);
		const backup = started(A);
		await world.advance(20_000);
		expect(backup.status).toBe("MASTER");
		other.say(isMaster, priority);
		await world.advance(500);
		expect(backup.status).toBe(expected);
	});

	it("compares addresses as texts", async () => {
		const own = "10.0.0.9";
		const backup = create(own, { members: [own, "10.0.0.10"] });
		const other = await world
			.host("10.0.0.10")
			.boot()
			.bindDatagrams({ port: PORT }, () => {});
		backup.applied(world.now);
		await world.advance(20_000);
		other.send(encodeKeepAlive({ isMaster: true, priority: 8 }), { host: own, port: PORT });
		await world.advance(500);
		expect(backup.status).toBe("MASTER");
	});

	it("lets a second-in-line wait six intervals, and six more, before it takes over", async () => {
		const other = await member(B);
		const changes: [number, BackupStatus][] = [];
		const startMs = world.now;
		started(A, { onChange: (status) => changes.push([world.now - startMs, status]) });
		await world.advance(2_000);
		other.say(true, 9);
		other.heard.length = 0;
		await world.advance(18_000);
		expect(other.heard).toEqual([]);
		await world.advance(25_000);
		expect(changes.map(([, status]) => status)).toEqual(["INIT", "SLAVER", "INIT", "MASTER"]);
		expect(changes[2]?.[0]).toBe(22_000);
		expect(changes[3]?.[0]).toBe(43_000);
	});

	it("listens to members only, and to nothing but keep-alives", async () => {
		const stranger = await member("10.0.0.9");
		const other = world.host(B).boot();
		const port = await other.bindDatagrams({ port: PORT }, () => {});
		const backup = started(A);
		await world.advance(1_500);
		stranger.say(true, 9);
		for (const hex of ["05", "0408011009", "05ff", `05${"08011009".repeat(512)}`])
			port.send(fromHex(hex), { host: A, port: PORT });
		await world.advance(1_000);
		expect(backup.status).toBe("INIT");
		expect(decodeKeepAlive(fromHex("0508011009"))).toEqual({ isMaster: true, priority: 9 });
	});

	it("leaves the node the master if its port can't be bound, and says so", async () => {
		const environment = world.host(A).boot();
		await environment.bindDatagrams({ port: PORT }, () => {});
		const problems: unknown[] = [];
		const backup = create(A, { onProblem: (error) => problems.push(error) }, environment);
		backup.applied(world.now);
		await world.advance(60_000);
		expect([backup.status, problems.length]).toEqual(["MASTER", 1]);
	});

	it("refuses a member that is neither an address nor a name", () => {
		expect(() => create(A, { members: ["backup..example"] })).toThrow('"backup..example" is not a host');
	});

	it("looks up the names of members every minute, and keeps what it knew of one that is not answered", async () => {
		const unknown: string[] = [];
		const name = "standby.example";
		world.names.set(name, B);
		const [atB, atC] = [await member(B), await member(C)];
		const backup = started(A, { members: [A, name], onUnknown: (host) => unknown.push(host) });
		await world.advance(30_000);
		expect([backup.status, atB.heard.length > 0, atC.heard.length]).toEqual(["MASTER", true, 0]);
		world.names.set(name, C);
		await world.advance(60_000);
		expect(atC.heard.length).toBeGreaterThan(0);
		const before = atC.heard.length;
		world.names.delete(name);
		await world.advance(60_000);
		expect(atC.heard.length).toBeGreaterThan(before);
		expect(unknown).toEqual([name]);
	});

	it("decides between equals that begin together", async () => {
		const group = [A, B, C].map((host) => started(host));
		await world.advance(30_000);
		expect(group.map((backup) => backup.status)).toEqual(["SLAVER", "SLAVER", "MASTER"]);
	});

	it("ends", async () => {
		const other = await member(B);
		const backup = started(A);
		await world.advance(2_000);
		await backup.stop();
		other.heard.length = 0;
		await world.advance(60_000);
		expect(other.heard).toEqual([]);
	});

	it("gives a group one master through crashes and partitions", async () => {
		const hosts = [A, B, C];
		const group = new Map(hosts.map((host, i) => [host, started(host, { priority: 5 + (i === 2 ? 1 : 0) })]));
		const masters = () => hosts.filter((host) => world.host(host).isUp && group.get(host)?.isMaster);
		await world.advance(60_000);
		expect(masters()).toEqual([C]);
		world.host(C).crash();
		await world.advance(60_000);
		expect(masters()).toEqual([B]);
		group.set(C, started(C, { priority: 6 }));
		await world.advance(60_000);
		expect(masters()).toEqual([B]);
		world.partition([[A, C], [B]]);
		await world.advance(60_000);
		expect(masters()).toEqual([B, C]);
		world.partition(undefined);
		await world.advance(10_000);
		expect(masters()).toEqual([C]);
	});
});
