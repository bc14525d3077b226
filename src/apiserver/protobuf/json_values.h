#ifndef KINFORMER_SRC_APISERVER_PROTOBUF_JSON_VALUES_H_
#define KINFORMER_SRC_APISERVER_PROTOBUF_JSON_VALUES_H_

// In:     single values
// Out:    their JSON text, as written by Go's encoder and Kubernetes' own types
// Thread: any; pure
// Next:   ProtobufDecoder

#include <cstdint>
#include <string>
#include <string_view>

namespace kinformer::apiserver::protobuf {

/// Quoted. Invalid UTF-8 becomes U+FFFD.
void AppendString(std::string_view text, std::string& out);
/// False, with nothing appended, for values that JSON cannot represent: infinities and NaN.
bool AppendDouble(double value, std::string& out);
/// "2006-01-02T15:04:05Z", with six fractional digits if `micros`. False if the year does not have four digits.
bool AppendTime(std::int64_t seconds, std::int32_t nanos, bool micros, std::string& out);
/// "1h15m30.5s", as Go writes a time.Duration.
void AppendDuration(std::int64_t nanos, std::string& out);

}  // namespace kinformer::apiserver::protobuf

#endif  // KINFORMER_SRC_APISERVER_PROTOBUF_JSON_VALUES_H_
