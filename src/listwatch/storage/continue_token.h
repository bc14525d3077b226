#ifndef KINFORMER_SRC_LISTWATCH_STORAGE_CONTINUE_TOKEN_H_
#define KINFORMER_SRC_LISTWATCH_STORAGE_CONTINUE_TOKEN_H_

// In:     where a page of a list ended
// Out:    the continue token for the next page, in kube-apiserver's format
// Thread: any; pure
// Next:   UndecoratedStorage, Cacher, StorageListerWatcher

#include <optional>
#include <string>
#include <string_view>

#include <kinformer/base/result.h>

#include "src/listwatch/storage/backend.h"

namespace kinformer::apiserver {

struct ContinueToken {
  /// The full key to continue from, inclusive.
  std::string start{};
  /// All pages are read at this revision. Negative: each page is read at the current revision.
  Revision revision = 0;
};

/// Unpadded base64url of {"v":"meta.k8s.io/v1","rv":…,"start":…}, with the key relative to the prefix of the list.
/// Precondition: token.start begins with the prefix.
std::string EncodeContinue(const ContinueToken& token, std::string_view prefix);
/// 400 if the token is invalid, or its key would lead out of the prefix.
Result<ContinueToken> DecodeContinue(std::string_view text, std::string_view prefix);

/// The error of a list that cannot continue at its revision: 410 Expired, with a token that continues at the current
/// revision. It belongs in the Status' metadata.continue: when writing the Status, extract it with TakeContinue.
Error ContinueExpiredError(const std::string& start, std::string_view prefix);
/// Removes the token from the error and returns it, if there is one. (It is carried as a cause with the reason
/// "InconsistentContinue".)
std::optional<std::string> TakeContinue(Error& error);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_STORAGE_CONTINUE_TOKEN_H_
