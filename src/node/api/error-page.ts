/** The pages of statuses other than 200 (protocol/http §1.3): in the form that the client accepts, HTML by default. */

interface ErrorPage {
	readonly contentType: string;
	readonly text: string;
}

const HTML = "text/html;charset=iso-8859-1";

export function errorPage(
	status: number,
	message: string,
	path: string,
	accept: string | undefined,
): ErrorPage {
	switch (acceptedForm(accept)) {
		case "application/json":
		case "text/json": {
			const page = { message, url: path, status: String(status) };
			return { contentType: acceptedForm(accept), text: `${JSON.stringify(page, null, "\n")}\n` };
		}
		case "text/plain":
			return {
				contentType: "text/plain;charset=iso-8859-1",
				text: `HTTP ERROR ${status} ${message}\nURI: ${path}\nSTATUS: ${status}\nMESSAGE: ${message}\n`,
			};
		default: {
			const title = `${status} ${escapeHtml(message)}`;
			const rows = [`URI:</th><td>${escapeHtml(path)}`, `STATUS:</th><td>${status}`];
			return {
				contentType: HTML,
				text: `<html>\n<head>\n<title>Error ${title}</title>\n</head>\n<body><h2>HTTP ERROR ${title}</h2>\n<table>\n${rows
					.map((row) => `<tr><th>${row}</td></tr>\n`)
					.join("")}</table>\n</body>\n</html>\n`,
			};
		}
	}
}

const FORMS = ["text/html", "text/plain", "application/json", "text/json"];

/** The first known form of an Accept header, by its order; HTML for anything else. */
function acceptedForm(accept: string | undefined): string {
	for (const part of (accept ?? "").split(",")) {
		const form = part.split(";")[0]?.trim().toLowerCase() ?? "";
		if (FORMS.includes(form)) return form;
		if (form === "*/*" || form === "text/*") break;
	}
	return "text/html";
}

function escapeHtml(text: string): string {
	return text
		.replaceAll("&", "&amp;")
		.replaceAll("<", "&lt;")
		.replaceAll(">", "&gt;")
		.replaceAll('"', "&quot;");
}
