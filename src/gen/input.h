#ifndef KINFORMER_SRC_GEN_INPUT_H_
#define KINFORMER_SRC_GEN_INPUT_H_

#include <string>

namespace kinformer::gen {

struct Input {
  /// The file, for messages.
  std::string source{};
  std::string text{};
  /// Whether it is an error if the text has nothing to generate from; files of a folder may have other contents.
  bool must_contribute = true;
};

}  // namespace kinformer::gen

#endif  // KINFORMER_SRC_GEN_INPUT_H_
