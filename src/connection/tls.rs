//! TLS sessions: trusted authorities and the client's own certificate.

use std::io;
use std::sync::Arc;

use redis::{ErrorKind, RedisError, RedisResult, TlsCertificates};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};

/// Starts a session with a server of this name. Trusts the certificate authorities of the address, or if the address
/// names none, the authorities of the system.
pub(super) fn session(host: &str, certificates: Option<&TlsCertificates>) -> RedisResult<ClientConnection> {
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    Ok(ClientConnection::new(Arc::new(config(certificates)?), name).map_err(io::Error::other)?)
}

/// The settings of a session.
fn config(certificates: Option<&TlsCertificates>) -> RedisResult<ClientConfig> {
    let authorities = certificates.and_then(|certificates| certificates.root_cert.as_ref());
    let builder = ClientConfig::builder().with_root_certificates(trusted(authorities)?);
    let Some(own) = certificates.and_then(|certificates| certificates.client_tls.as_ref()) else {
        return Ok(builder.with_no_client_auth());
    };
    let unusable = |error: &dyn std::fmt::Display| wrong("the client's certificate or its key is unusable", error);
    let chain = CertificateDer::pem_slice_iter(&own.client_cert).collect::<Result<_, _>>();
    let chain = chain.map_err(|error| unusable(&error))?;
    let key = PrivateKeyDer::from_pem_slice(&own.client_key).map_err(|error| unusable(&error))?;
    builder.with_client_auth_cert(chain, key).map_err(|error| unusable(&error))
}

/// Reads the trusted certificate authorities from the file. Without a file, reads the authorities of the system.
fn trusted(file: Option<&Vec<u8>>) -> RedisResult<RootCertStore> {
    let mut store = RootCertStore::empty();
    let Some(file) = file else {
        let mut found = rustls_native_certs::load_native_certs();
        if let (true, Some(error)) = (found.certs.is_empty(), found.errors.pop()) {
            return Err(io::Error::other(error).into());
        }
        store.add_parsable_certificates(found.certs);
        return Ok(store);
    };
    for certificate in CertificateDer::pem_slice_iter(file) {
        let added = certificate.map_err(|error| wrong(NO_AUTHORITY, &error))?;
        store.add(added).map_err(|error| wrong(NO_AUTHORITY, &error))?;
    }
    if store.is_empty() { Err(wrong(NO_AUTHORITY, &"it has no certificate")) } else { Ok(store) }
}

const NO_AUTHORITY: &str = "the file of the authority's certificates is unusable";

fn wrong(what: &'static str, why: &dyn std::fmt::Display) -> RedisError {
    (ErrorKind::InvalidClientConfig, what, why.to_string()).into()
}
