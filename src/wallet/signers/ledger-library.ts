/**
 * Loads the vendor's libraries. USB access needs native code that few users want, so none of it is installed with the program.
 * When a device is named, the libraries are looked up beside the program and among npm's global packages, but never in the
 * working directory.
 */

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Failure } from "../failure.js";
import { type ConnectLedger, type LedgerApp, shortText } from "./ledger.js";

export const APP_LIBRARY = "@ledgerhq/hw-app-trx";
export const TRANSPORT_LIBRARY = "@ledgerhq/hw-transport-node-hid-noevents";

/** A connection to a device, as the vendor's libraries pass it to each other. */
interface Transport {
	close(): Promise<void>;
}

interface TransportLibrary {
	readonly default: { open(path: string): Promise<Transport> };
}

interface AppLibrary {
	readonly default: new (transport: Transport) => LedgerApp;
}

/** Finds and loads a library. */
type LoadLibrary = (name: string) => unknown;

const requireLibrary = createRequire(import.meta.url);

/** The directories of npm's global packages. */
function globalDirectories(environment: NodeJS.ProcessEnv): string[] {
	const { npm_config_prefix: prefix, APPDATA } = environment;
	return [
		join(dirname(process.execPath), "..", "lib", "node_modules"),
		"/usr/local/lib/node_modules",
		...(prefix ? [join(prefix, "lib", "node_modules")] : []),
		...(APPDATA ? [join(APPDATA, "npm", "node_modules")] : []),
	];
}

function loadInstalled(name: string): unknown {
	let path: string;
	try {
		path = requireLibrary.resolve(name);
	} catch {
		path = requireLibrary.resolve(name, { paths: globalDirectories(process.env) });
	}
	return requireLibrary(path);
}

/**
 * Loads the libraries.
 * @throws {Failure} `signer_unavailable` with what to install
 */
export function ledgerConnector(load: LoadLibrary = loadInstalled): ConnectLedger {
	const transports = loaded(load, TRANSPORT_LIBRARY) as TransportLibrary;
	const apps = loaded(load, APP_LIBRARY) as AppLibrary;
	return async () => {
		// An empty path opens the first device found.
		const transport = await transports.default.open("").catch((error: unknown) => {
			throw isOfNativePart(error) ? loadFailure(error, TRANSPORT_LIBRARY) : error;
		});
		return { app: new apps.default(transport), close: () => transport.close() };
	};
}

const INSTALL = `${TRANSPORT_LIBRARY} ${APP_LIBRARY}`;

/** An error of loading; `tries` are the places where `bindings` has looked for a native part. */
type LoadError = NodeJS.ErrnoException & { readonly tries?: unknown };

/** Whether the transport, which loads its native part only when it opens a device, couldn't load it. */
function isOfNativePart(error: unknown): error is LoadError {
	const { code, tries } = error as LoadError;
	return tries !== undefined || code === "ERR_DLOPEN_FAILED";
}

function loadFailure({ code, message, tries }: LoadError, name: string): Failure {
	const refuse = (what: string, hint: string): Failure =>
		new Failure("signer_unavailable", `the device's library ${name} ${what}`, { retry: "changed", hint });
	if (tries !== undefined)
		return refuse(
			"was installed without its native part",
			`npm install --global --ignore-scripts=false ${INSTALL} fetches or builds it; to build it takes Python, ` +
				"a C++ compiler and, on Linux, the header files of libudev and libusb",
		);
	const install = `npm install --global ${INSTALL}`;
	return code === "MODULE_NOT_FOUND"
		? refuse("is not installed", `${install} installs it; NODE_PATH names another place`)
		: refuse(`can't be loaded: ${shortText(message)}`, `${install} installs it anew`);
}

function loaded(load: LoadLibrary, name: string): unknown {
	try {
		return load(name);
	} catch (error) {
		throw loadFailure(error as LoadError, name);
	}
}
