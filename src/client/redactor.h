#ifndef KINFORMER_SRC_CLIENT_REDACTOR_H_
#define KINFORMER_SRC_CLIENT_REDACTOR_H_

// In:     the credentials that requests are sent with; errors that quote what a server said
// Out:    the same errors without the credentials in them
// Thread: any
// Next:   RestClient, and whoever reads an answer's body

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include <kinformer/base/error.h>
#include <kinformer/base/mutex.h>
#include <kinformer/transport/transport.h>

namespace kinformer::internal {

/// A server, or a proxy's error page, may repeat the token that it was sent, and errors quote what a server says.
///
/// @par Thread Safety
/// All functions may be called from any thread.
class Redactor {
 public:
  /// Requests are sent with these headers. The last few tokens are remembered: an answer may be older than a rotation.
  void Learn(const std::vector<Header>& headers) KINFORMER_EXCLUDES(mutex_);

  Error Hide(Error error) const KINFORMER_EXCLUDES(mutex_);
  std::string Hide(std::string text) const KINFORMER_EXCLUDES(mutex_);

 private:
  void Remember(std::string secret) KINFORMER_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::deque<std::string> secrets_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CLIENT_REDACTOR_H_
