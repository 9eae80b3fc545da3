/** What is said of a parameter that isn't the message of its type (protocol/blocks §3.9, protocol/schema §3.4). */

const REAL = "class com.google.protobuf.Any";

type Text = (message: string) => string;

const plain: Text = (message) => `contract type error,expected type [${message}],real type[${REAL}]`;
const spaced: Text = (message) => `contract type error, expected type [${message}], real type[${REAL}]`;
const halfSpaced: Text = (message) => `contract type error, expected type [${message}],real type[${REAL}]`;

/** The blanks of the network's texts differ by type; those that aren't listed have none. */
const texts = new Map<string, Text>([
	["TransferContract", (message) => `contract type error, expected type [${message}], real type [${REAL}]`],
	["AccountUpdateContract", spaced],
	["UnfreezeBalanceContract", spaced],
	["UnfreezeBalanceV2Contract", () => spaced("UnfreezeBalanceContract")],
	["WithdrawExpireUnfreezeContract", spaced],
	["UnDelegateResourceContract", spaced],
	["CancelAllUnfreezeV2Contract", spaced],
	["WithdrawBalanceContract", spaced],
	["VoteWitnessContract", spaced],
	["UpdateBrokerageContract", spaced],
	["TransferAssetContract", spaced],
	["UnfreezeAssetContract", spaced],
	["UpdateSettingContract", spaced],
	["WitnessCreateContract", halfSpaced],
	["WitnessUpdateContract", halfSpaced],
	["UpdateAssetContract", halfSpaced],
	["UpdateEnergyLimitContract", halfSpaced],
]);

/** Why a contract of this type is refused whose parameter is another message. */
export function parameterTypeRefusal(type: string): string {
	return (texts.get(type) ?? plain)(type);
}
