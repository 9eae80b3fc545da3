// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A token with nothing but what a shielded contract and its users ask for.
contract Plain {
    string public constant name = "Plain";
    string public constant symbol = "PLN";
    uint8 public constant decimals = 6;
    uint256 public immutable totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(uint256 supply) {
        totalSupply = supply;
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        return move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        return move(from, to, value);
    }

    function move(address from, address to, uint256 value) private returns (bool) {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
        return true;
    }
}

/// Keeps an amount of a token for notes that nobody sees: tokens come in by mint, change hands by transfer, and leave by
/// burn. The machine's precompiles check proofs and signatures, and hash the tree of notes.
contract Shielded {
    uint160 private constant MINT_PROOF = 0x1000001;
    uint160 private constant TRANSFER_PROOF = 0x1000002;
    uint160 private constant BURN_PROOF = 0x1000003;
    uint160 private constant TREE_HASH = 0x1000004;

    /// Number of the first leaf among the nodes of the tree, which are counted from the root, level by level.
    uint256 private constant FIRST_LEAF = (1 << 32) - 1;
    bytes4 private constant BURN = 0xcc105875;

    Plain public immutable token;
    /// So many units of the token are one of a note.
    uint256 public immutable scalingFactor;

    uint256 public leafCount;
    bytes32 public latestRoot;
    mapping(bytes32 => bytes32) public nullifiers;
    mapping(bytes32 => bytes32) public roots;
    mapping(bytes32 => bytes32) public noteCommitment;
    mapping(uint256 => bytes32) public tree;
    bytes32[33] private frontier;
    bytes32[32] private emptyRoots;

    event MintNewLeaf(uint256 position, bytes32 cm, bytes32 cv, bytes32 epk, bytes32[21] c);
    event TransferNewLeaf(uint256 position, bytes32 cm, bytes32 cv, bytes32 epk, bytes32[21] c);
    event BurnNewLeaf(uint256 position, bytes32 cm, bytes32 cv, bytes32 epk, bytes32[21] c);
    event TokenMint(address from, uint256 value);
    event TokenBurn(address to, uint256 value, bytes32[3] ciphertext);
    event NoteSpent(bytes32 nf);

    constructor(Plain token_, uint256 scalingFactor_) {
        require(scalingFactor_ > 0, "the scaling factor is zero");
        token = token_;
        scalingFactor = scalingFactor_;
        bytes32 root = bytes32(uint256(1) << 248);
        for (uint256 level = 0; level < 32; level++) {
            emptyRoots[level] = root;
            root = nodeHash(level, root, root);
        }
        latestRoot = root;
    }

    /// Takes tokens of the caller and makes a note of them.
    function mint(
        uint256 rawValue,
        bytes32[9] calldata output,
        bytes32[2] calldata bindingSignature,
        bytes32[21] calldata c
    ) external {
        uint64 value = scaled(rawValue);
        checkNew(output[0]);
        require(token.transferFrom(msg.sender, address(this), rawValue), "the token was not transferred");
        bytes32 signHash = sha256(abi.encodePacked(address(this), value, output, c));
        bytes32[] memory answer = ask(
            MINT_PROOF,
            abi.encode(output, bindingSignature, uint256(value), signHash, frontier, leafCount)
        );
        uint256 position = leafCount;
        addRoot(answer[insert(answer, 1, output[0])]);
        emit MintNewLeaf(position, output[0], output[1], output[2], c);
        emit TokenMint(msg.sender, rawValue);
    }

    /// Spends one or two notes and makes one or two.
    function transfer(
        bytes32[10][] calldata input,
        bytes32[2][] calldata authorization,
        bytes32[9][] calldata output,
        bytes32[2] calldata bindingSignature,
        bytes32[21][] calldata c
    ) external {
        require(input.length > 0 && input.length < 3 && authorization.length == input.length, "1 or 2 inputs");
        require(output.length > 0 && output.length < 3 && c.length == output.length, "1 or 2 outputs");
        bytes memory signed = abi.encodePacked(address(this));
        for (uint256 i = 0; i < input.length; i++) {
            checkSpendable(input[i][0], input[i][1]);
            signed = bytes.concat(signed, abi.encodePacked(input[i]));
        }
        for (uint256 i = 0; i < output.length; i++) {
            checkNew(output[i][0]);
            signed = bytes.concat(signed, abi.encodePacked(output[i]));
        }
        for (uint256 i = 0; i < c.length; i++) signed = bytes.concat(signed, abi.encodePacked(c[i]));
        bytes32[] memory answer = ask(
            TRANSFER_PROOF,
            abi.encode(input, authorization, output, bindingSignature, sha256(signed), uint256(0), frontier, leafCount)
        );
        uint256 at = 1;
        for (uint256 i = 0; i < output.length; i++) {
            emit TransferNewLeaf(leafCount, output[i][0], output[i][1], output[i][2], c[i]);
            at = insert(answer, at, output[i][0]);
        }
        addRoot(answer[at]);
        for (uint256 i = 0; i < input.length; i++) spend(input[i][0]);
    }

    /// burn(bytes32[10] input, bytes32[2] authorization, uint256 rawValue, bytes32[2] bindingSignature, address payTo,
    /// bytes32[3] ciphertext, bytes32[9][] output, bytes32[21][] c): spends a note, pays tokens, and makes a note of what is
    /// left. Callers write the network's prefix in front of the 20 bytes of payTo, which a function with an address would
    /// refuse to read, so it is read here as a number.
    fallback() external {
        require(msg.sig == BURN, "no such function");
        (
            bytes32[10] memory input,
            bytes32[2] memory authorization,
            uint256 rawValue,
            bytes32[2] memory bindingSignature,
            uint256 payTo,
            bytes32[3] memory ciphertext,
            bytes32[9][] memory output,
            bytes32[21][] memory c
        ) = abi.decode(
                msg.data[4:],
                (bytes32[10], bytes32[2], uint256, bytes32[2], uint256, bytes32[3], bytes32[9][], bytes32[21][])
            );
        require(output.length < 2 && c.length == output.length, "0 or 1 outputs");
        address recipient = address(uint160(payTo));
        checkSpendable(input[0], input[1]);
        if (output.length == 0) burnWhole(input, authorization, rawValue, bindingSignature, recipient);
        else burnPart(input, authorization, rawValue, bindingSignature, recipient, output, c);
        spend(input[0]);
        require(token.transfer(recipient, rawValue), "the token was not transferred");
        emit TokenBurn(recipient, rawValue, ciphertext);
    }

    function burnWhole(
        bytes32[10] memory input,
        bytes32[2] memory authorization,
        uint256 rawValue,
        bytes32[2] memory bindingSignature,
        address recipient
    ) private view {
        uint64 value = scaled(rawValue);
        bytes32 signHash = sha256(abi.encodePacked(address(this), input, recipient, value));
        ask(BURN_PROOF, abi.encode(input, authorization, uint256(value), bindingSignature, signHash));
    }

    function burnPart(
        bytes32[10] memory input,
        bytes32[2] memory authorization,
        uint256 rawValue,
        bytes32[2] memory bindingSignature,
        address recipient,
        bytes32[9][] memory output,
        bytes32[21][] memory c
    ) private {
        uint64 value = scaled(rawValue);
        checkNew(output[0][0]);
        bytes32 signHash = sha256(abi.encodePacked(address(this), input, output[0], c[0], recipient, value));
        bytes32[10][] memory inputs = new bytes32[10][](1);
        inputs[0] = input;
        bytes32[2][] memory authorizations = new bytes32[2][](1);
        authorizations[0] = authorization;
        bytes32[] memory answer = ask(
            TRANSFER_PROOF,
            abi.encode(
                inputs,
                authorizations,
                output,
                bindingSignature,
                signHash,
                uint256(value),
                frontier,
                leafCount
            )
        );
        emit BurnNewLeaf(leafCount, output[0][0], output[0][1], output[0][2], c[0]);
        addRoot(answer[insert(answer, 1, output[0][0])]);
    }

    /// The root, and the nodes beside the way of a leaf to it, from the top.
    function getPath(uint256 position) external view returns (bytes32 root, bytes32[32] memory path) {
        require(position < leafCount, "no such position");
        uint256 node = position + FIRST_LEAF;
        for (uint256 level = 0; level < 32; level++) {
            path[31 - level] = nodeAt(node % 2 == 0 ? node - 1 : node + 1, level);
            node = (node - 1) / 2;
        }
        root = latestRoot;
    }

    /// A node, which is only stored once the tree below it is full.
    function nodeAt(uint256 node, uint256 level) private view returns (bytes32) {
        if (tree[node] != 0) return tree[node];
        if (((node + 1) << level) - 1 >= leafCount + FIRST_LEAF) return emptyRoots[level];
        return nodeHash(level - 1, nodeAt(2 * node + 1, level - 1), nodeAt(2 * node + 2, level - 1));
    }

    function scaled(uint256 rawValue) private view returns (uint64) {
        require(rawValue > 0 && rawValue % scalingFactor == 0, "not a positive multiple of the scaling factor");
        require(rawValue / scalingFactor < uint64(type(int64).max), "the value is too large");
        return uint64(rawValue / scalingFactor);
    }

    function checkNew(bytes32 cm) private view {
        require(noteCommitment[cm] == 0, "the note commitment is known");
    }

    function checkSpendable(bytes32 nf, bytes32 anchor) private view {
        require(nullifiers[nf] == 0, "the note is spent");
        require(roots[anchor] != 0, "the anchor is unknown");
    }

    function spend(bytes32 nf) private {
        require(nullifiers[nf] == 0, "the note is spent");
        nullifiers[nf] = nf;
        emit NoteSpent(nf);
    }

    function addRoot(bytes32 root) private {
        latestRoot = root;
        roots[root] = root;
    }

    /// Puts a leaf into the tree, with the nodes that a proof's answer says are full now: first how many, then these.
    function insert(bytes32[] memory answer, uint256 at, bytes32 cm) private returns (uint256 next) {
        uint256 slot = uint256(answer[at]);
        uint256 node = leafCount + FIRST_LEAF;
        bytes32 hash = cm;
        tree[node] = hash;
        for (uint256 i = 1; i <= slot; i++) {
            node = (node - 1) / 2;
            hash = answer[at + i];
            tree[node] = hash;
        }
        frontier[slot] = hash;
        noteCommitment[cm] = cm;
        leafCount++;
        next = at + slot + 1;
    }

    function nodeHash(uint256 level, bytes32 left, bytes32 right) private view returns (bytes32) {
        (bool ok, bytes memory hash) = address(TREE_HASH).staticcall(abi.encode(level, left, right));
        require(ok, "the hash failed");
        return bytes32(hash);
    }

    /// Asks a precompile. Its whole answer is written whatever size is named, so it gets memory that nobody uses.
    function ask(uint160 precompile, bytes memory input) private view returns (bytes32[] memory answer) {
        bool ok;
        assembly ("memory-safe") {
            answer := mload(0x40)
            let words := add(answer, 0x20)
            ok := staticcall(gas(), precompile, add(input, 0x20), mload(input), words, 0)
            let size := returndatasize()
            returndatacopy(words, 0, size)
            mstore(answer, shr(5, size))
            mstore(0x40, add(words, size))
        }
        require(ok && answer.length > 0 && uint256(answer[0]) == 1, "the proof is refused");
    }
}
