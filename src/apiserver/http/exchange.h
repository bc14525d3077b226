#ifndef KINFORMER_SRC_APISERVER_HTTP_EXCHANGE_H_
#define KINFORMER_SRC_APISERVER_HTTP_EXCHANGE_H_

#include <memory>

#include "src/apiserver/http/connection.h"
#include "src/apiserver/http/http_exchange.h"

namespace kinformer::apiserver {

/// The handle of a connection's request `id`, which has been begun in its outbox.
std::shared_ptr<HttpExchange> MakeExchange(std::shared_ptr<Connection> connection, ExchangeId id, HttpRequest request,
                                           bool keep_alive);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_HTTP_EXCHANGE_H_
