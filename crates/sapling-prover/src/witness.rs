//! Witnesses as bytes, one part after another: numbers lowest byte first, paths from the leaf upwards.

use bls12_381::Scalar;
use group::GroupEncoding;
use sapling_crypto::circuit::{Output, Spend, ValueCommitmentOpening};
use sapling_crypto::keys::SpendValidatingKey;
use sapling_crypto::value::NoteValue;
use sapling_crypto::{Diversifier, PaymentAddress, ProofGenerationKey};

pub const DEPTH: usize = 32;
const DIVERSIFIER: usize = 11;

/// Which part of a witness is not valid; the numbers are the program's that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalid {
    Length = 1,
    AuthorizationKey = 2,
    NullifierSecret = 3,
    Diversifier = 4,
    CommitmentRandomness = 5,
    AuthorizationRandomness = 6,
    Anchor = 7,
    Path = 8,
    Position = 9,
    ValueRandomness = 10,
    EphemeralSecret = 11,
    TransmissionKey = 12,
    /// All parts are valid, but don't belong together.
    Contradiction = 13,
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Invalid> {
        let (part, rest) = self.0.split_first_chunk().ok_or(Invalid::Length)?;
        self.0 = rest;
        Ok(*part)
    }

    fn scalar(&mut self, invalid: Invalid) -> Result<jubjub::Fr, Invalid> {
        Option::from(jubjub::Fr::from_bytes(&self.take()?)).ok_or(invalid)
    }

    fn field(&mut self, invalid: Invalid) -> Result<Scalar, Invalid> {
        Option::from(Scalar::from_bytes(&self.take()?)).ok_or(invalid)
    }

    fn number(&mut self) -> Result<u64, Invalid> {
        Ok(u64::from_le_bytes(self.take()?))
    }

    fn end(&self) -> Result<(), Invalid> {
        if self.0.is_empty() { Ok(()) } else { Err(Invalid::Length) }
    }
}

/// ak, nsk, diversifier, rcm, alpha, value (8), anchor, path, position (8), rcv.
pub fn read_spend(bytes: &[u8]) -> Result<Spend, Invalid> {
    let mut reader = Reader(bytes);
    let ak = reader.take::<32>()?;
    // The library takes the encoding of a point for granted.
    if bool::from(jubjub::SubgroupPoint::from_bytes(&ak).is_none()) {
        return Err(Invalid::AuthorizationKey);
    }
    let ak = SpendValidatingKey::temporary_zcash_from_bytes(&ak).ok_or(Invalid::AuthorizationKey)?;
    let nsk = reader.scalar(Invalid::NullifierSecret)?;
    let diversifier = Diversifier(reader.take::<DIVERSIFIER>()?);
    let rcm = reader.scalar(Invalid::CommitmentRandomness)?;
    let alpha = reader.scalar(Invalid::AuthorizationRandomness)?;
    let value = reader.number()?;
    let anchor = reader.field(Invalid::Anchor)?;
    let siblings = (0..DEPTH).map(|_| reader.field(Invalid::Path)).collect::<Result<Vec<_>, _>>()?;
    let position = reader.number()?;
    let rcv = reader.scalar(Invalid::ValueRandomness)?;
    reader.end()?;
    if position >> DEPTH != 0 {
        return Err(Invalid::Position);
    }
    let key = ProofGenerationKey { ak, nsk };
    let address = key.to_viewing_key().to_payment_address(diversifier).ok_or(Invalid::Diversifier)?;
    let path = siblings.into_iter().enumerate().map(|(level, sibling)| Some((sibling, position >> level & 1 == 1)));
    Ok(Spend {
        value_commitment_opening: Some(opening(value, rcv)),
        proof_generation_key: Some(key),
        payment_address: Some(address),
        commitment_randomness: Some(rcm),
        ar: Some(alpha),
        auth_path: path.collect(),
        anchor: Some(anchor),
    })
}

/// esk, diversifier, pk_d, rcm, value (8), rcv.
pub fn read_output(bytes: &[u8]) -> Result<Output, Invalid> {
    let mut reader = Reader(bytes);
    let esk = reader.scalar(Invalid::EphemeralSecret)?;
    let diversifier = reader.take::<DIVERSIFIER>()?;
    let key = reader.take::<32>()?;
    let rcm = reader.scalar(Invalid::CommitmentRandomness)?;
    let value = reader.number()?;
    let rcv = reader.scalar(Invalid::ValueRandomness)?;
    reader.end()?;
    Diversifier(diversifier).g_d().ok_or(Invalid::Diversifier)?;
    if bool::from(jubjub::SubgroupPoint::from_bytes(&key).is_none()) {
        return Err(Invalid::TransmissionKey);
    }
    let mut address = [0; DIVERSIFIER + 32];
    address[..DIVERSIFIER].copy_from_slice(&diversifier);
    address[DIVERSIFIER..].copy_from_slice(&key);
    Ok(Output {
        value_commitment_opening: Some(opening(value, rcv)),
        payment_address: Some(PaymentAddress::from_bytes(&address).ok_or(Invalid::TransmissionKey)?),
        commitment_randomness: Some(rcm),
        esk: Some(esk),
    })
}

fn opening(value: u64, randomness: jubjub::Fr) -> ValueCommitmentOpening {
    ValueCommitmentOpening { value: NoteValue::from_raw(value), randomness }
}
