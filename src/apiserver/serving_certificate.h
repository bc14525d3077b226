#ifndef KINFORMER_SRC_APISERVER_SERVING_CERTIFICATE_H_
#define KINFORMER_SRC_APISERVER_SERVING_CERTIFICATE_H_

// In:     where the server will be reached; a directory
// Out:    a certificate for it, and the CA that vouches for it
// Thread: any
// Next:   HttpServer, kubeconfigs

#include <string>
#include <vector>

#include <kinformer/base/result.h>

namespace kinformer::apiserver {

struct ServingCertificate {
  std::string ca_pem{};
  std::string certificate_pem{};
  std::string key_pem{};
};

/// For these IP addresses, localhost and the names that a cluster has for its API server. The CA's key is forgotten:
/// it vouches for this one certificate.
Result<ServingCertificate> MakeServingCertificate(const std::vector<std::string>& addresses);

/// Of the directory's ca.crt, tls.crt and tls.key; where none of them is there, they are made and put there, the key
/// readable by its owner only.
Result<ServingCertificate> LoadOrMakeServingCertificate(const std::string& directory,
                                                        const std::vector<std::string>& addresses);

/// `bytes` random bytes, in hexadecimal.
Result<std::string> RandomHex(std::size_t bytes);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_SERVING_CERTIFICATE_H_
