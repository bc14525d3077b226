#ifndef KINFORMER_SRC_CONFIG_REDACTOR_H_
#define KINFORMER_SRC_CONFIG_REDACTOR_H_

// In:     the credentials that requests are sent with; errors that quote a server
// Out:    the same errors without the credentials
// Thread: any
// Next:   RestClient, and readers of response bodies

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include <kinformer/base/error.h>
#include <kinformer/transport/transport.h>

#include "src/base/mutex.h"

namespace kinformer::internal {

/// Removes credentials from errors: a server, or a proxy's error page, may echo the token it was sent.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class Redactor {
 public:
  /// Remembers the credentials in these request headers. The last few are kept: a response may predate a rotation.
  void Learn(const std::vector<Header>& headers) KINFORMER_EXCLUDES(mutex_);

  Error Hide(Error error) const KINFORMER_EXCLUDES(mutex_);
  std::string Hide(std::string text) const KINFORMER_EXCLUDES(mutex_);

 private:
  void Remember(std::string secret) KINFORMER_REQUIRES(mutex_);
  std::string HideKnown(std::string text) const KINFORMER_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::deque<std::string> secrets_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CONFIG_REDACTOR_H_
