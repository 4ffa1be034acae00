//! TLS for connections to a server. The certificate must be valid for the host name and signed by an authority of the system,
//! of `SSL_CERT_FILE` or of `--ca`. The check cannot be turned off.

use super::connection::ConnectError;
use crate::error::CommandError;
use std::{io, path::Path, sync::Arc};
use tokio::net::TcpStream;
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        CertificateError, ClientConfig, Error, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, ServerName, pem::PemObject},
    },
};

/// TLS configuration of a client.
pub struct Tls(TlsConnector);

impl Tls {
    /// Trusts the system's authorities and those of a PEM file.
    pub fn new(ca: Option<&Path>) -> Result<Tls, CommandError> {
        let mut roots = RootCertStore::empty();
        // Unreadable certificates of the system are skipped; a missing one is reported when it is needed.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if let Some(file) = ca {
            for certificate in read(file)? {
                let why = |error: Error| bad(file, &format!("invalid certificate: {error}"));
                roots.add(certificate).map_err(why)?;
            }
        }
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| CommandError::Failed(format!("cannot set up TLS: {error}")))?;
        let mut config = config.with_root_certificates(roots).with_no_client_auth();
        // WebSockets are opened by HTTP/1.1.
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Tls(TlsConnector::from(Arc::new(config))))
    }

    /// Makes the TLS handshake on a connection to `host`, which includes a port.
    pub async fn connect(&self, host: &str, stream: TcpStream) -> Result<TlsStream<TcpStream>, ConnectError> {
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name).trim_matches(['[', ']']);
        let server = ServerName::try_from(name.to_string())
            .map_err(|_| ConnectError::Untrusted(format!("'{name}' is not a valid host name for TLS")))?;
        self.0.connect(server, stream).await.map_err(|error| open_error(host, &error))
    }
}

/// Reads the certificates of a PEM file.
fn read(file: &Path) -> Result<Vec<CertificateDer<'static>>, CommandError> {
    let found = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match found {
        Ok(certificates) if certificates.is_empty() => Err(bad(file, "the file contains no PEM certificate")),
        Ok(certificates) => Ok(certificates),
        Err(error) => Err(bad(file, &format!("cannot read the file: {error}"))),
    }
}

fn bad(file: &Path, why: &str) -> CommandError {
    CommandError::Input(format!("--ca: {}: {why}", file.display()))
}

/// Converts an error of the handshake. Only `Unreachable` is tried again.
fn open_error(host: &str, error: &io::Error) -> ConnectError {
    let Some(tls) = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) else {
        return ConnectError::Unreachable(error.to_string());
    };
    let Error::InvalidCertificate(why) = tls else {
        return ConnectError::Untrusted(match tls {
            Error::InvalidMessage(_) => format!("{host} does not speak TLS; try http:// instead of https://"),
            other => format!("the TLS handshake with {host} failed: {other}"),
        });
    };
    ConnectError::Untrusted(format!("the certificate of {host} is not trusted: {}", certificate_fault(why)))
}

fn certificate_fault(why: &CertificateError) -> String {
    use CertificateError::{
        Expired, ExpiredContext, NotValidForName, NotValidForNameContext, NotValidYet, NotValidYetContext,
        UnknownIssuer,
    };
    match why {
        UnknownIssuer => "unknown certificate authority; add it with --ca FILE or SSL_CERT_FILE".to_string(),
        Expired | ExpiredContext { .. } => "it has expired".to_string(),
        NotValidYet | NotValidYetContext { .. } => {
            "it is not valid yet; check the clock of this machine".to_string()
        }
        NotValidForName | NotValidForNameContext { .. } => "it is for another host name".to_string(),
        other => other.to_string(),
    }
}
