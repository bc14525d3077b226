#ifndef KINFORMER_SRC_APISERVER_PROTOBUF_PROTOBUF_DECODER_H_
#define KINFORMER_SRC_APISERVER_PROTOBUF_PROTOBUF_DECODER_H_

// In:     the protobuf body of a request
// Out:    the JSON that the client would have sent instead
// Thread: any; pure
// Next:   the endpoints, to which a body is JSON

#include <cstddef>
#include <string>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::apiserver {

struct ProtobufLimits {
  /// Messages in messages. Each is at most two levels of JSON.
  std::size_t max_depth = 200;
  /// Of what comes out; zeros with long names can make it many times what came in.
  std::size_t max_json_bytes = std::size_t{64} * 1024 * 1024;
};

/// What a body is taken for that does not say it itself.
struct ProtobufDefaults {
  std::string_view api_version{};
  std::string_view kind{};
};

/// Translates a body ("k8s\0" and a runtime.Unknown) by the fields of Kubernetes' own kinds. Zero values are there or
/// left out as Go's JSON encoder does it; fields that we do not know are skipped, and of one that occurs twice the last
/// counts, as in any protobuf decoder. Fails with 400 for what is malformed, 413 for what is too deep or too large, and
/// 415 for a kind that we have no fields of.
Result<std::string> ProtobufToJson(std::string_view body, const ProtobufDefaults& defaults,
                                   const ProtobufLimits& limits = {});

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_PROTOBUF_PROTOBUF_DECODER_H_
