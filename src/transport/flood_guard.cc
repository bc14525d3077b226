#include "src/transport/flood_guard.h"

#include <openssl/ssl.h>

namespace kinformer::internal {

namespace {

// A process that was suspended for a while finds a backlog, but a smaller one than this.
constexpr std::size_t kFewRecords = 1000;

}  // namespace

bool FloodGuard::ShouldEnd() {
  if (stop_.stop_requested()) return true;
  return ++records_ > kFewRecords && Clock::System()->Now() - since_ > max_time_;
}

// If libcurl uses a TLS library other than OpenSSL, the option is unknown and connections are not guarded.
void FloodGuard::Watch(CURL* transfer) {
  curl_easy_setopt(transfer, CURLOPT_SSL_CTX_FUNCTION, &FloodGuard::OnContext);
  curl_easy_setopt(transfer, CURLOPT_SSL_CTX_DATA, static_cast<void*>(this));
}

CURLcode FloodGuard::OnContext(CURL*, void* context, void* self) {
  const auto on_record = [](int is_write, int, int type, const void*, std::size_t, SSL* ssl, void* guard) {
    if (is_write != 0 || type != SSL3_RT_HEADER || SSL_in_init(ssl) != 0) return;
    auto& mine = *static_cast<FloodGuard*>(guard);
    if (!mine.ShouldEnd()) return;
    mine.ended_ = true;
    // As if the peer had sent close_notify: the next read reports the end.
    SSL_set_shutdown(ssl, SSL_get_shutdown(ssl) | SSL_RECEIVED_SHUTDOWN);
  };
  SSL_CTX_set_msg_callback(static_cast<SSL_CTX*>(context), on_record);
  SSL_CTX_set_msg_callback_arg(static_cast<SSL_CTX*>(context), self);
  return CURLE_OK;
}

}  // namespace kinformer::internal
