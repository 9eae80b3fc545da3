/** A server of MongoDB's protocol: FerretDB from its Go module, over SQLite. */

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { BSON, MongoClient } from "mongodb";
import { freePort } from "../free-port.js";
import { type Broker, cacheFolder, Daemon, type Held, kindOf, run, whenReady } from "./broker.js";

const VERSION = "v1.24.0";
const MODULE = "github.com/FerretDB/FerretDB";
const [DATABASE, USER, PASSWORD] = ["eventlog", "teller", "of-tests-only"];

/** The module wants a file that its repository makes: it is built from a copy that has one. @returns the program */
async function find(): Promise<string | undefined> {
	const folder = cacheFolder(`ferretdb-${VERSION}`);
	const program = join(folder, "ferretdb");
	if (existsSync(program)) return program;
	const script = `set -e
printf 'module local\\n\\nrequire ${MODULE} ${VERSION}\\n' > go.mod
rm -rf source
cp -r "$(GOFLAGS=-mod=mod go mod download -json ${MODULE}@${VERSION} | sed -n 's/.*"Dir": "\\(.*\\)",*/\\1/p')" source
chmod -R u+w source
echo ${VERSION} > source/build/version/version.txt
cd source
go build -o ../ferretdb.new ./cmd/ferretdb
cd ..
rm -rf source
mv ferretdb.new ferretdb`;
	return run("sh", ["-c", script], folder) ? program : undefined;
}

async function start(program: string, folder: string): Promise<Broker> {
	const port = await freePort();
	const data = join(folder, "data");
	mkdirSync(data, { recursive: true });
	const args = [
		"--handler=sqlite",
		`--sqlite-url=file:${data}/`,
		`--state-dir=${folder}`,
		`--listen-addr=127.0.0.1:${port}`,
		"--telemetry=disable",
		"--debug-addr=-",
		"--log-level=WARN",
		"--test-enable-new-auth",
		`--setup-database=${DATABASE}`,
		`--setup-username=${USER}`,
		`--setup-password=${PASSWORD}`,
	];
	const daemon = new Daemon(program, args, { port, log: join(folder, "ferretdb.log") });
	const url = `127.0.0.1:${port}`;
	const begin = async (): Promise<void> => {
		await daemon.start();
		await whenReady(() => withDatabase(url, (client) => client.db(DATABASE).listCollections().toArray()));
	};
	await begin();
	return {
		url,
		// Documents that are inserted with one version of the service, and replaced with the other.
		settings: (version) =>
			`path = "plugin-mongodb.zip", server = "${url}", dbconfig = "${DATABASE}|${USER}|${PASSWORD}|${version + 1}"`,
		kill: () => daemon.kill(),
		restart: begin,
		stop: () => daemon.kill(),
		read: () => withDatabase(url, readAll),
	};
}

async function withDatabase<T>(url: string, use: (client: MongoClient) => Promise<T>): Promise<T> {
	const client = new MongoClient(`mongodb://${url}/`, {
		auth: { username: USER, password: PASSWORD },
		authSource: DATABASE,
		serverSelectionTimeoutMS: 5_000,
	});
	try {
		return await use(client);
	} finally {
		await client.close();
	}
}

/** Members of triggers that are longer than 32 bits, and those that are not. */
const [LONGS, SHORTS] = [["timeStamp"], ["blockNumber", "latestSolidifiedBlockNumber", "transactionSize"]];

/** All documents of all collections, whose numbers must be as long as they have to be. */
async function readAll(client: MongoClient): Promise<readonly Held[]> {
	const database = client.db(DATABASE);
	const held: Held[] = [];
	for (const { name } of await database.listCollections().toArray()) {
		for await (const document of database.collection(name).find({}, { promoteValues: false })) {
			for (const [members, type] of [[LONGS, "Long"] as const, [SHORTS, "Int32"] as const]) {
				for (const member of members) {
					const found = (document[member] as { _bsontype?: string } | undefined)?._bsontype ?? type;
					if (found !== type) throw new Error(`${member} of ${name} is a ${found}`);
				}
			}
			held.push(BSON.EJSON.parse(BSON.EJSON.stringify(document)) as Held);
		}
	}
	return held;
}

export const mongodb = kindOf({
	name: "mongodb",
	needs: "Go 1.22 or newer",
	find,
	start,
});
