{{ verdict_words('verdict') }}
