#ifndef KINFORMER_SRC_APISERVER_PROTOBUF_JSON_VALUES_H_
#define KINFORMER_SRC_APISERVER_PROTOBUF_JSON_VALUES_H_

// In:     single values
// Out:    their JSON text, as Go's encoder and Kubernetes' own types write it
// Thread: any; pure
// Next:   ProtobufDecoder

#include <cstdint>
#include <string>
#include <string_view>

namespace kinformer::apiserver::protobuf {

/// With its quotes. What is not UTF-8 becomes U+FFFD.
void AppendString(std::string_view text, std::string& out);
/// False (nothing appended) for what JSON cannot say: infinity, and what is no number.
bool AppendDouble(double value, std::string& out);
/// "2006-01-02T15:04:05Z", with six digits behind the second if `micros`. False for a year that has not four digits.
bool AppendTime(std::int64_t seconds, std::int32_t nanos, bool micros, std::string& out);
/// "1h15m30.5s", as Go writes a time.Duration.
void AppendDuration(std::int64_t nanos, std::string& out);

}  // namespace kinformer::apiserver::protobuf

#endif  // KINFORMER_SRC_APISERVER_PROTOBUF_JSON_VALUES_H_
