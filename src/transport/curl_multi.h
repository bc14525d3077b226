#ifndef KINFORMER_SRC_TRANSPORT_CURL_MULTI_H_
#define KINFORMER_SRC_TRANSPORT_CURL_MULTI_H_

#include <chrono>
#include <optional>

#include <curl/curl.h>

namespace kinformer::internal {

/// A libcurl multi handle, for HTTP/2 with as many streams per connection as the server allows.
///
/// @par Thread Safety
/// One thread; only Wake may be called from others.
class CurlMulti {
 public:
  struct Finished {
    CURL* handle = nullptr;
    CURLcode code = CURLE_OK;
  };

  CurlMulti();
  /// Closes all connections. Precondition: all handles were removed.
  ~CurlMulti();
  CurlMulti(const CurlMulti&) = delete;
  CurlMulti& operator=(const CurlMulti&) = delete;

  void Add(CURL* handle) { curl_multi_add_handle(multi_, handle); }
  void Remove(CURL* handle) { curl_multi_remove_handle(multi_, handle); }
  /// Sends and receives what is possible without waiting.
  void Perform();
  /// A handle that has finished since, each once. It must be removed.
  std::optional<Finished> NextFinished();
  /// Waits for activity on a connection, Wake() or the timeout.
  void Poll(std::chrono::milliseconds timeout);
  void Wake() { curl_multi_wakeup(multi_); }

 private:
  CURLM* const multi_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_TRANSPORT_CURL_MULTI_H_
