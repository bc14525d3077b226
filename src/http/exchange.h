#ifndef KINFORMER_SRC_HTTP_EXCHANGE_H_
#define KINFORMER_SRC_HTTP_EXCHANGE_H_

#include <memory>

#include "src/http/connection.h"
#include "src/http/http_exchange.h"

namespace kinformer::apiserver {

/// The handle of request `id` of a connection. The outbox must have begun it.
std::shared_ptr<HttpExchange> MakeExchange(std::shared_ptr<Connection> connection, ExchangeId id, HttpRequest request,
                                           bool keep_alive);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_HTTP_EXCHANGE_H_
