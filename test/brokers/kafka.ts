/** Kafka from its jars in Maven Central: broker and controller in one process. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Kafka, logLevel } from "kafkajs";
import { freePort } from "../free-port.js";
import { type Broker, cacheFolder, Daemon, type Held, kindOf, run, whenReady } from "./broker.js";

const VERSION = "4.1.2";

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
	<modelVersion>4.0.0</modelVersion>
	<groupId>local</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
	<dependencies><dependency>
		<groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${VERSION}</version>
	</dependency></dependencies>
</project>
`;

/** @returns the folder with the jars */
async function find(): Promise<string | undefined> {
	const folder = cacheFolder(`kafka-${VERSION}`);
	const jars = join(folder, "jars");
	if (!run("java", ["-version"], folder)) return undefined;
	if (existsSync(join(folder, "complete"))) return jars;
	writeFileSync(join(folder, "pom.xml"), POM);
	const goals = ["-q", "-B", "dependency:copy-dependencies", "-DincludeScope=runtime"];
	if (!run("mvn", [...goals, `-DoutputDirectory=${jars}`], folder)) return undefined;
	writeFileSync(join(folder, "complete"), "");
	return jars;
}

async function start(jars: string, folder: string): Promise<Broker> {
	const [port, controller] = [await freePort(), await freePort()];
	const properties = join(folder, "server.properties");
	writeFileSync(
		properties,
		[
			"process.roles=broker,controller",
			"node.id=1",
			`controller.quorum.voters=1@127.0.0.1:${controller}`,
			`listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}`,
			`advertised.listeners=PLAINTEXT://127.0.0.1:${port}`,
			"controller.listener.names=CONTROLLER",
			`log.dirs=${join(folder, "data")}`,
			"num.partitions=1",
			"offsets.topic.num.partitions=1",
			"offsets.topic.replication.factor=1",
			"transaction.state.log.num.partitions=1",
			"transaction.state.log.replication.factor=1",
			"transaction.state.log.min.isr=1",
			"share.coordinator.state.topic.num.partitions=1",
			"share.coordinator.state.topic.replication.factor=1",
			"group.initial.rebalance.delay.ms=0",
			"",
		].join("\n"),
	);
	const small = ["-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", `${jars}/*`];
	const format = ["kafka.tools.StorageTool", "format", "-t", "Y29pbi1icm9rZXItdGVzdA", "-c", properties];
	if (!run("java", [...small, ...format], folder)) throw new Error("Kafka's folder can't be made");
	const log = join(folder, "kafka.log");
	const daemon = new Daemon("java", [...small, "kafka.Kafka", properties], { port, log });
	const url = `127.0.0.1:${port}`;
	const client = new Kafka({ clientId: "test", brokers: [url], logLevel: logLevel.NOTHING });
	const begin = async (): Promise<void> => {
		await daemon.start();
		await whenReady(async () => {
			const admin = client.admin();
			await admin.connect();
			await admin.listTopics().finally(() => admin.disconnect());
		});
	};
	await begin();
	return {
		url,
		settings: () => `path = "plugin-kafka.zip", server = "${url}"`,
		kill: () => daemon.kill(),
		restart: begin,
		stop: () => daemon.kill(),
		read: () => readAll(client),
	};
}

let readers = 0;

/** All records of all topics. */
async function readAll(client: Kafka): Promise<readonly Held[]> {
	const admin = client.admin();
	await admin.connect();
	const topics = (await admin.listTopics()).filter((name) => !name.startsWith("__"));
	const missing = new Map<string, number>();
	for (const topic of topics) {
		for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
			if (Number(high) > Number(low)) missing.set(`${topic} ${partition}`, Number(high));
		}
	}
	await admin.disconnect();
	const held: Held[] = [];
	if (missing.size === 0) return held;
	const consumer = client.consumer({ groupId: `reader-${process.pid}-${readers++}` });
	await consumer.connect();
	await consumer.subscribe({ topics, fromBeginning: true });
	await new Promise<void>((resolve, reject) => {
		consumer
			.run({
				eachMessage: async ({ topic, partition, message }) => {
					const { key, headers, value } = message;
					if (key !== null || Object.keys(headers ?? {}).length > 0) {
						throw new Error(`a record of ${topic} has a key or headers`);
					}
					held.push(JSON.parse(String(value)));
					const end = missing.get(`${topic} ${partition}`);
					if (end !== undefined && Number(message.offset) >= end - 1) missing.delete(`${topic} ${partition}`);
					if (missing.size === 0) resolve();
				},
			})
			.catch(reject);
	});
	await consumer.disconnect();
	return held;
}

export const kafka = kindOf({
	name: "kafka",
	needs: "Java 17 or newer and mvn",
	find,
	start,
});
