/** The listener from which a Prometheus server reads (protocol/configuration §4.5). */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { portError } from "../api/http-servers.js";
import type { MetricRegistry } from "./registry.js";

interface RunningMetricsServer {
	readonly port: number;
	close(): Promise<void>;
}

/** Binds the port; rejects with a {@link PortError}. */
export async function startMetricsServer(
	registry: MetricRegistry,
	port: number,
	host: string | undefined,
	report: (error: unknown, where: string) => void,
): Promise<RunningMetricsServer> {
	const server = createServer((request, response) => {
		answer(registry, request, response).catch((error: unknown) => {
			report(error, "metrics");
			response.destroy();
		});
	});
	await new Promise<void>((resolve, reject) => {
		server.once("error", (error) => reject(portError(port, "metrics server", error)));
		server.listen(port, host, () => {
			resolve();
		});
	});
	const address = server.address();
	return {
		port: typeof address === "object" && address ? address.port : port,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

/** Every path serves the page, but for the exporter's own health. */
async function answer(
	registry: MetricRegistry,
	{ url = "/", headers }: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const { pathname, searchParams } = new URL(url, "http://localhost");
	if (pathname === "/-/healthy") {
		response.writeHead(200, { "Content-Type": "text/plain; charset=utf-8" });
		response.end("Exporter is Healthy.");
		return;
	}
	const isOpenMetrics = headers.accept?.includes("application/openmetrics-text") ?? false;
	const { contentType, text } = await registry.page(searchParams.getAll("name[]"), isOpenMetrics);
	response.writeHead(200, { "Content-Type": contentType });
	response.end(text);
}
