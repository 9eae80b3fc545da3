/**
 * What is said of a parameter that isn't the message of its type (protocol/blocks §3.9, protocol/schema §3.4). The blanks of the
 * network's texts differ by type.
 */

const REAL = "class com.google.protobuf.Any";

/** @param message name of the message that belongs there */
export type ParameterRefusal = (message: string) => string;

export const plain: ParameterRefusal = (message) =>
	`contract type error,expected type [${message}],real type[${REAL}]`;
export const spaced: ParameterRefusal = (message) =>
	`contract type error, expected type [${message}], real type[${REAL}]`;
export const halfSpaced: ParameterRefusal = (message) =>
	`contract type error, expected type [${message}],real type[${REAL}]`;
export const spacedTwice: ParameterRefusal = (message) =>
	`contract type error, expected type [${message}], real type [${REAL}]`;
