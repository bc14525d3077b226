// error: use of deleted|call to deleted
#include <kinformer/meta/status_error.h>

kinformer::Error Refusal();

const kinformer::ErrorCause* Find(const kinformer::Error& error) {
#ifdef WRONG
  return FindStatusCause(Refusal(), "FieldValueRequired");
#else
  return FindStatusCause(error, "FieldValueRequired");
#endif
}
