#include "src/transport/curl_multi.h"

#include <mutex>

namespace kinformer::internal {
namespace {

// More streams per connection than any API server allows, so that the server's own limit decides.
constexpr long kMaxStreams = 10'000;

CURLM* NewMulti() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  return curl_multi_init();
}

}  // namespace

CurlMulti::CurlMulti() : multi_(NewMulti()) {
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
  curl_multi_setopt(multi_, CURLMOPT_MAX_CONCURRENT_STREAMS, kMaxStreams);
}

CurlMulti::~CurlMulti() { curl_multi_cleanup(multi_); }

void CurlMulti::Perform() {
  int running = 0;
  curl_multi_perform(multi_, &running);
}

std::optional<CurlMulti::Finished> CurlMulti::NextFinished() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg == CURLMSG_DONE) return Finished{.handle = message->easy_handle, .code = message->data.result};
  }
  return std::nullopt;
}

void CurlMulti::Poll(std::chrono::milliseconds timeout) {
  curl_multi_poll(multi_, nullptr, 0, static_cast<int>(timeout.count()), nullptr);
}

}  // namespace kinformer::internal
