#ifndef KINFORMER_SRC_APISERVER_ACCESS_RANDOM_TOKEN_H_
#define KINFORMER_SRC_APISERVER_ACCESS_RANDOM_TOKEN_H_

#include <string>

#include <kinformer/base/result.h>

namespace kinformer::apiserver {

/// 256 random bits, in hexadecimal.
Result<std::string> RandomToken();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_ACCESS_RANDOM_TOKEN_H_
