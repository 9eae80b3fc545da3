/** Every transaction type that the chain executes without the contract machine, by its name in the table. */

import type { ContractName } from "../../protocol/contract-types.js";
import { accountCreate } from "./account-create.js";
import { accountPermissionUpdate } from "./account-permission-update.js";
import { accountUpdate } from "./account-update.js";
import { assetIssue } from "./asset-issue.js";
import { cancelAllUnfreezeV2 } from "./cancel-all-unfreeze-v2.js";
import { clearAbi } from "./clear-abi.js";
import type { ContractModule } from "./contract.js";
import { delegateResource } from "./delegate-resource.js";
import { exchangeCreate } from "./exchange-create.js";
import { exchangeInject } from "./exchange-inject.js";
import { exchangeTransaction } from "./exchange-transaction.js";
import { exchangeWithdraw } from "./exchange-withdraw.js";
import { freezeBalance } from "./freeze-balance.js";
import { freezeBalanceV2 } from "./freeze-balance-v2.js";
import { marketCancelOrder } from "./market-cancel-order.js";
import { marketSellAsset } from "./market-sell-asset.js";
import { plain } from "./parameter-type.js";
import { participateAssetIssue } from "./participate-asset-issue.js";
import { proposalApprove } from "./proposal-approve.js";
import { proposalCreate } from "./proposal-create.js";
import { proposalDelete } from "./proposal-delete.js";
import { setAccountId } from "./set-account-id.js";
import { shieldedTransfer } from "./shielded-transfer.js";
import { transfer } from "./transfer.js";
import { transferAsset } from "./transfer-asset.js";
import { undelegateResource } from "./undelegate-resource.js";
import { unfreezeAsset } from "./unfreeze-asset.js";
import { unfreezeBalance } from "./unfreeze-balance.js";
import { unfreezeBalanceV2 } from "./unfreeze-balance-v2.js";
import { updateAsset } from "./update-asset.js";
import { updateBrokerage } from "./update-brokerage.js";
import { updateEnergyLimit } from "./update-energy-limit.js";
import { updateSetting } from "./update-setting.js";
import { voteWitness } from "./vote-witness.js";
import { withdrawBalance } from "./withdraw-balance.js";
import { withdrawExpireUnfreeze } from "./withdraw-expire-unfreeze.js";
import { witnessCreate } from "./witness-create.js";
import { witnessUpdate } from "./witness-update.js";

const modules: readonly ContractModule[] = [
	accountCreate,
	transfer,
	accountUpdate,
	proposalCreate,
	proposalApprove,
	proposalDelete,
	setAccountId,
	shieldedTransfer,
	accountPermissionUpdate,
	voteWitness,
	witnessCreate,
	witnessUpdate,
	freezeBalance,
	unfreezeBalance,
	withdrawBalance,
	updateBrokerage,
	freezeBalanceV2,
	unfreezeBalanceV2,
	withdrawExpireUnfreeze,
	delegateResource,
	undelegateResource,
	cancelAllUnfreezeV2,
	assetIssue,
	transferAsset,
	participateAssetIssue,
	unfreezeAsset,
	updateAsset,
	exchangeCreate,
	exchangeInject,
	exchangeWithdraw,
	exchangeTransaction,
	marketSellAsset,
	marketCancelOrder,
	updateSetting,
	updateEnergyLimit,
	clearAbi,
];

const byType: ReadonlyMap<ContractName, ContractModule> = new Map(
	modules.map((module) => [module.type, module]),
);

/** The module of a contract type, undefined if this node doesn't execute the type. */
export function contractModule(typeName: ContractName): ContractModule | undefined {
	return byType.get(typeName);
}

/** Why a contract of this type is refused whose parameter is another message. */
export function parameterTypeRefusal(type: ContractName): string {
	return (byType.get(type)?.parameterRefusal ?? plain)(type);
}
