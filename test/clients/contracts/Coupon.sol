// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A token with a little of everything that client libraries encode and decode.
contract Coupon {
    string public name;
    uint8 public constant decimals = 6;
    uint256 public totalSupply;
    address public issuer;
    mapping(address => uint256) public balanceOf;
    struct Holding { address who; uint256 amount; }
    error Insufficient(address who, uint256 has, uint256 needs);
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Note(uint256 indexed id, string text, bytes data);
    uint256 private notes;

    constructor(string memory named, uint256 supply) payable {
        name = named;
        totalSupply = supply;
        issuer = msg.sender;
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function transfer(address to, uint256 value) public returns (bool) {
        uint256 has = balanceOf[msg.sender];
        if (has < value) revert Insufficient(msg.sender, has, value);
        require(to != address(0), "no receiver");
        balanceOf[msg.sender] = has - value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    function note(string calldata text, bytes calldata data) external payable returns (uint256 id) {
        id = ++notes;
        emit Note(id, text, data);
    }

    function holdings(address[] calldata who) external view returns (Holding[] memory list) {
        list = new Holding[](who.length);
        for (uint256 i = 0; i < who.length; i++) list[i] = Holding(who[i], balanceOf[who[i]]);
    }

    function several(int256 a, bytes32 b, bool c) external pure returns (int256, bytes32, bool, string memory) {
        return (-a, b, !c, "several");
    }

    function first(uint256[3] calldata list) external pure returns (uint256) { return list[0]; }
    function held() external view returns (uint256) { return address(this).balance; }
    receive() external payable { emit Note(0, "received", ""); }
}
