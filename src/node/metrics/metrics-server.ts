/** The listener from which a Prometheus server reads (protocol/configuration §4.5). */

import type { HttpAnswer } from "../api/http-answer.js";
import { HttpListener } from "../api/http-listener.js";
import type { HttpRequest } from "../api/http-request.js";
import { portError } from "../api/http-servers.js";
import { headRefusal, pathOf, queryOf } from "../api/request-head.js";
import { MAX_CONNECTIONS } from "../listening/max-connections.js";
import { KeptPages } from "./kept-pages.js";
import type { MetricRegistry } from "./registry.js";

interface RunningMetricsServer {
	readonly port: number;
	close(): Promise<void>;
}

/**
 * Binds the port; rejects with a {@link PortError}.
 * @param now milliseconds of a clock that only goes forward
 */
export async function startMetricsServer(
	registry: MetricRegistry,
	port: number,
	host: string,
	now: () => number,
	report: (error: unknown, where: string) => void,
): Promise<RunningMetricsServer> {
	const pages = new KeptPages((names, isOpenMetrics) => registry.page(names, isOpenMetrics), now);
	const listener = new HttpListener({
		maxConnections: MAX_CONNECTIONS.metrics,
		handle: (request, answer) => respond(pages, request, answer),
		report: (error, where) => report(error, `metrics, ${where}`),
	});
	const bound = await listener.listen(port, host).catch((error: unknown) => {
		throw portError(port, "metrics server", error);
	});
	return { port: bound, close: () => listener.close() };
}

/** Every path serves the page, but for the exporter's own health. */
async function respond(pages: KeptPages, request: HttpRequest, answer: HttpAnswer): Promise<void> {
	const refused = headRefusal(request);
	if (refused !== undefined) return answer.page(refused);
	if (pathOf(request) === "/-/healthy") {
		return answer.send(200, "text/plain; charset=utf-8", "Exporter is Healthy.");
	}
	const isOpenMetrics = request.headers.accept?.includes("application/openmetrics-text") ?? false;
	const names = new URLSearchParams(queryOf(request)).getAll("name[]");
	const page = await pages.page(names, isOpenMetrics);
	if (!page) return answer.page(503);
	answer.send(200, page.contentType, page.text);
}
