#ifndef KINFORMER_SRC_APISERVER_STORAGE_CONTINUE_TOKEN_H_
#define KINFORMER_SRC_APISERVER_STORAGE_CONTINUE_TOKEN_H_

// In:     where a page of a list ended
// Out:    the text that asks for the next one, as kube-apiserver writes it
// Thread: any; pure
// Next:   UndecoratedStorage, Cacher, StorageListerWatcher

#include <optional>
#include <string>
#include <string_view>

#include <kinformer/base/result.h>

#include "src/apiserver/storage/backend.h"

namespace kinformer::apiserver {

struct ContinueToken {
  /// The whole key from which to go on, inclusive.
  std::string start{};
  /// All pages are as of this one; less than zero: as of now, each.
  Revision revision = 0;
};

/// Unpadded base64url of {"v":"meta.k8s.io/v1","rv":…,"start":…}, with the key relative to the prefix of the list.
/// Precondition: token.start begins with the prefix.
std::string EncodeContinue(const ContinueToken& token, std::string_view prefix);
/// 400 for anything that EncodeContinue did not give, and for a key that would lead out of the prefix.
Result<ContinueToken> DecodeContinue(std::string_view text, std::string_view prefix);

/// The error of a list that cannot go on as of its revision: 410 Expired, with the token that goes on as of now. A
/// client finds that token in the Status' metadata.continue: whoever writes the Status takes it out of the Error with
/// TakeContinue.
Error ContinueExpiredError(const std::string& start, std::string_view prefix);
/// The token in the error, if it has one, and takes it out. (In between it is a cause with the reason
/// "InconsistentContinue".)
std::optional<std::string> TakeContinue(Error& error);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_STORAGE_CONTINUE_TOKEN_H_
