#include "src/transport/flood_guard.h"

#include <openssl/ssl.h>

namespace kinformer::internal {

namespace {

// A process that was stopped for a while finds what came meanwhile, which is less than this.
constexpr std::size_t kFewRecords = 1000;

}  // namespace

bool FloodGuard::IsEnough() {
  if (stop_.stop_requested()) return true;
  return ++records_ > kFewRecords && Clock::System()->Now() - since_ > patience_;
}

// Where libcurl has another TLS library than OpenSSL, the option is unknown and connections stay unguarded.
void FloodGuard::Watch(CURL* transfer) {
  curl_easy_setopt(transfer, CURLOPT_SSL_CTX_FUNCTION, &FloodGuard::OnContext);
  curl_easy_setopt(transfer, CURLOPT_SSL_CTX_DATA, static_cast<void*>(this));
}

CURLcode FloodGuard::OnContext(CURL*, void* context, void* self) {
  const auto on_record = [](int is_write, int, int type, const void*, std::size_t, SSL* ssl, void* guard) {
    if (is_write != 0 || type != SSL3_RT_HEADER || SSL_in_init(ssl) != 0) return;
    auto& mine = *static_cast<FloodGuard*>(guard);
    if (!mine.IsEnough()) return;
    mine.ended_ = true;
    // As if the peer had said goodbye: whoever reads next is told that this was the end.
    SSL_set_shutdown(ssl, SSL_get_shutdown(ssl) | SSL_RECEIVED_SHUTDOWN);
  };
  SSL_CTX_set_msg_callback(static_cast<SSL_CTX*>(context), on_record);
  SSL_CTX_set_msg_callback_arg(static_cast<SSL_CTX*>(context), self);
  return CURLE_OK;
}

}  // namespace kinformer::internal
