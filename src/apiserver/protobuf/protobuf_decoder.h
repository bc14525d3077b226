#ifndef KINFORMER_SRC_APISERVER_PROTOBUF_PROTOBUF_DECODER_H_
#define KINFORMER_SRC_APISERVER_PROTOBUF_PROTOBUF_DECODER_H_

// In:     the protobuf body of a request
// Out:    the equivalent JSON
// Thread: any; pure
// Next:   the endpoints, which handle only JSON bodies

#include <cstddef>
#include <string>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::apiserver {

struct ProtobufLimits {
  /// Nesting depth of messages. Each is at most two levels of JSON.
  std::size_t max_depth = 200;
  /// Output size. Zero values with long names can make it many times the input size.
  std::size_t max_json_bytes = std::size_t{64} * 1024 * 1024;
};

/// The type of a body that does not name one.
struct ProtobufDefaults {
  std::string_view api_version{};
  std::string_view kind{};
};

/// Converts a body ("k8s\0" and a runtime.Unknown) using the fields of Kubernetes' own kinds. Zero values are kept or
/// omitted as by Go's JSON encoder. As in any protobuf decoder, unknown fields are skipped, and the last occurrence of
/// a scalar wins. 400 if the body is malformed, 413 if it is too deep or too large, 415 for an unknown kind.
Result<std::string> ProtobufToJson(std::string_view body, const ProtobufDefaults& defaults,
                                   const ProtobufLimits& limits = {});

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_PROTOBUF_PROTOBUF_DECODER_H_
