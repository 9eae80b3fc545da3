import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tron.trident.abi.FunctionEncoder;
import org.tron.trident.abi.TypeReference;
import org.tron.trident.abi.datatypes.Address;
import org.tron.trident.abi.datatypes.Bool;
import org.tron.trident.abi.datatypes.Function;
import org.tron.trident.abi.datatypes.Utf8String;
import org.tron.trident.abi.datatypes.generated.Uint256;
import org.tron.trident.core.ApiWrapper;
import org.tron.trident.core.NodeType;
import org.tron.trident.core.key.KeyPair;
import org.tron.trident.proto.Response.TransactionExtention;
import org.tron.trident.proto.Response.TransactionInfo;

/** Steps over gRPC, told line by line: `ok <step>` or `not ok <step> # <why>`. */
public class Run {
	static final String PLACES = System.getenv("COIN_PLACES");

	/** The nth value of a member; its values are texts without quotes in them. */
	static String place(String name, int index) {
		Matcher found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(PLACES);
		for (int i = 0; i <= index; i++) {
			if (!found.find()) throw new IllegalStateException(name);
		}
		return found.group(1);
	}

	static <T> T step(String name, Callable<T> work) {
		try {
			T result = work.call();
			System.out.println("ok " + name);
			return result;
		} catch (Throwable error) {
			System.out.println("not ok " + name + " # " + String.valueOf(error).replaceAll("\\s+", " "));
			return null;
		}
	}

	static void expect(boolean condition, String what) {
		if (!condition) throw new AssertionError("expected " + what);
	}

	static TransactionInfo act(ApiWrapper client, TransactionExtention built) throws Exception {
		String id = client.broadcastTransaction(client.signTransaction(built));
		TransactionInfo info = client.getTransactionInfoById(id);
		expect(info.getResultValue() == 0, info.getResMessage().toStringUtf8());
		return info;
	}

	public static void main(String[] words) throws Exception {
		Matcher version = Pattern.compile("<version>(\\d+\\.\\S*)</version>").matcher(Files.readString(Path.of("pom.xml")));
		version.find();
		System.out.println("version " + version.group(1));
		String me = place("base58", 0);
		String other = place("base58", 1);
		ApiWrapper client = new ApiWrapper(place("grpc", 0), place("grpcSolidity", 0), place("key", 0));
		reading(client, me, other);
		acting(client, me, other);
		contracts(client, me, other);
		client.close();
		System.exit(0);
	}

	static void reading(ApiWrapper client, String me, String other) {
		step("getNowBlock", () -> client.getNowBlock());
		step("getNowBlock2", () -> client.getNowBlock2());
		step("getNowBlock of the solidity server", () -> client.getNowBlock(NodeType.SOLIDITY_NODE));
		step("getNowBlockSolidity", () -> client.getNowBlockSolidity());
		step("getBlockByNum", () -> client.getBlockByNum(1));
		step("getBlockByLatestNum", () -> client.getBlockByLatestNum(1));
		step("getBlockByLimitNext", () -> client.getBlockByLimitNext(0, 2));
		step("getBlock", () -> client.getBlock(false));
		step("getTransactionInfoByBlockNum", () -> client.getTransactionInfoByBlockNum(1));
		step("getNodeInfo", () -> client.getNodeInfo());
		step("listNodes", () -> client.listNodes());
		step("getAccount", () -> client.getAccount(me));
		step("getAccountSolidity", () -> client.getAccountSolidity(me));
		step("getAccountBalance", () -> {
			expect(client.getAccountBalance(me) > 0, "coins");
			return 0;
		});
		step("getAccountResource", () -> client.getAccountResource(me));
		step("getAccountNet", () -> client.getAccountNet(me));
		step("getChainParameters", () -> client.getChainParameters());
		step("listWitnesses", () -> client.listWitnesses());
		step("listProposals", () -> client.listProposals());
		step("listExchanges", () -> client.listExchanges());
		step("getAssetIssueList", () -> client.getAssetIssueList());
		step("getRewardInfo", () -> client.getRewardInfo(me));
		step("getBurnTRX", () -> client.getBurnTRX());
		step("getEnergyPrices", () -> client.getEnergyPrices());
		step("getBandwidthPrices", () -> client.getBandwidthPrices());
		step("getMemoFee", () -> client.getMemoFee());
		step("getNextMaintenanceTime", () -> client.getNextMaintenanceTime());
		step("getPendingSize", () -> client.getPendingSize());
		step("getTransactionListFromPending", () -> client.getTransactionListFromPending());
		step("getMarketPairList", () -> client.getMarketPairList());
		step("getDelegatedResourceV2", () -> client.getDelegatedResourceV2(me, other));
		step("getCanDelegatedMaxSize", () -> client.getCanDelegatedMaxSize(me, 1));
		step("getAvailableUnfreezeCount", () -> client.getAvailableUnfreezeCount(me));
	}

	static void acting(ApiWrapper client, String me, String other) {
		step("transfer", () -> act(client, client.transfer(me, other, 1_000_000)));
		step("createAccount", () -> act(client, client.createAccount(me, KeyPair.generate().toBase58CheckAddress())));
		step("updateAccount", () -> act(client, client.updateAccount(me, "a person")));
		step("freezeBalanceV2", () -> act(client, client.freezeBalanceV2(me, 10_000_000, 1)));
		step("voteWitness", () -> {
			HashMap<String, String> votes = new HashMap<>();
			byte[] witness = client.listWitnesses().getWitnesses(0).getAddress().toByteArray();
			votes.put(org.tron.trident.utils.Base58Check.bytesToBase58(witness), "5");
			return act(client, client.voteWitness(me, votes));
		});
		step("delegateResource", () -> act(client, client.delegateResource(me, 1_000_000, 1, other, false)));
		step("undelegateResource", () -> act(client, client.undelegateResource(me, 1_000_000, 1, other)));
		step("unfreezeBalanceV2", () -> act(client, client.unfreezeBalanceV2(me, 1_000_000, 1)));
		step("cancelAllUnfreezeV2", () -> act(client, client.cancelAllUnfreezeV2(me)));
	}

	static void contracts(ApiWrapper client, String me, String other) {
		String contract = step("deployContract", () -> {
			String file = Files.readString(Path.of(System.getenv("COIN_COUPON")));
			Matcher code = Pattern.compile("\"bytecode\":\\s*\"(?:0x)?([0-9a-f]+)\"").matcher(file);
			code.find();
			String words = FunctionEncoder.encodeConstructor(List.of(new Utf8String("Coupon"), new Uint256(1000)));
			TransactionExtention built = client.deployContract("Coupon", "[]", code.group(1) + words.replace("0x", ""),
				List.of(), 1_000_000_000L, 100L, 10_000_000L, 0L, "", 0L);
			byte[] address = act(client, built).getContractAddress().toByteArray();
			return org.tron.trident.utils.Base58Check.bytesToBase58(address);
		});
		Function pay = new Function("transfer", List.of(new Address(other), new Uint256(5)),
			List.of(new TypeReference<Bool>() {}));
		Function balance = new Function("balanceOf", List.of(new Address(me)),
			List.of(new TypeReference<Uint256>() {}));
		step("getContract", () -> client.getContract(contract));
		step("getContractInfo", () -> client.getContractInfo(contract));
		step("triggerConstantContract", () -> {
			TransactionExtention answer = client.triggerConstantContract(me, contract, balance);
			String words = org.tron.trident.utils.Numeric.toHexString(answer.getConstantResult(0).toByteArray());
			expect(words.endsWith("3e8"), "1000, not " + words);
			return 0;
		});
		step("estimateEnergy", () -> {
			expect(client.estimateEnergy(me, contract, pay).getEnergyRequired() > 0, "energy");
			return 0;
		});
		step("triggerCall", () -> {
			String id = client.broadcastTransaction(
				client.signTransaction(client.triggerCall(me, contract, pay).setFeeLimit(100_000_000).build()));
			expect(client.getTransactionInfoById(id).getLogCount() == 1, "a log");
			expect(client.getTransactionById(id).getSignatureCount() == 1, "a signature");
			return 0;
		});
		step("clearContractABI", () -> act(client, client.clearContractABI(me, contract)));
	}
}
