// error: use of deleted|call to deleted
#include <kinformer/config/config.h>

kinformer::Secret Token();

std::size_t Size() {
#ifdef WRONG
  const std::string& token = Token().Reveal();
#else
  const kinformer::Secret secret = Token();
  const std::string& token = secret.Reveal();
#endif
  return token.size();
}
