"""Methods of published studies, retold in our own words, and what their authors did."""

AYERS_2023 = """
We drew 195 questions at random from a public forum and kept the answers that verified physicians had posted there.
Each question was entered into ChatGPT in a new session, and its reply was saved. Evaluators saw the question with
the physician response and the chatbot response side by side, in random order and blinded to who had written them.
Each response was evaluated by three evaluators. They first chose which response was better. Then they judged the
quality of the information (very poor, poor, acceptable, good, very good) and the empathy or bedside manner on a
5-point scale. We compared ChatGPT with physician responses on empathy by an unpaired t test. Pairs with an
incomplete rating were excluded from the data.
"""
WELIVITA_2024 = """
We compared responses from GPT-4, Llama 2, Gemini and Mixtral with human responses to emotional situations.
Participants were recruited on Prolific, and each participant rated 10 responses. They rated the empathy of each
response on a 3-point scale (Bad, Okay, Good). Participants saw one response at a time. Before the task they
completed the Toronto Empathy Questionnaire. An a priori power analysis asked for 1,000 participants. We
hypothesized that GPT-4 would be rated as more empathetic than human responses.
"""
RASHKIN_2019 = """
To compare the models with people we collected human ratings. Crowd workers saw the whole dialogue and its last
response. They rated each response for empathy, relevance and fluency on a Likert scale from 1 (not at all) to 5
(very much). At least 100 ratings per model were collected. In a second task, workers saw two responses and selected
the one they preferred, or said that both were equally good.
"""
SHARMA_2020 = """
Posts and replies came from a peer support platform. Eight crowd workers were trained over the phone. Every reply
was annotated by two annotators for three dimensions: emotional reactions, interpretations and explorations, on a
scale from 0 (none) to 2 (strong). Agreement was measured with weighted kappa. Annotators also marked the words on
which their rating was based.
"""
ZHAN_2024 = """
Four licensed psychologists evaluated responses by GPT-4 and Vicuna to posts on a forum and compared them with human
responses. Each response was independently assessed by two psychologists. They rated the alignment of each response
with the theory from 1 (not aligned) to 10 (fully aligned), and then rated the empathy of each response from 1 = not
at all to 5 = extremely. Krippendorff's alpha was computed per question. Raters who failed either of two attention
checks were excluded.
"""
KUMAR_2025 = """
Each conversation was rated by three experts and by an LLM as a judge, who saw the entire conversation. Experts
rated each conversation on six dimensions: encouraging elaboration, validating emotions, demonstrating
understanding, advice giving, self-oriented and dismissing emotions, using a 5-point scale from strongly disagree to
strongly agree. The six items were averaged into an empathic communication score. We compared GPT-4 with human
responses in a linear mixed-effects model of empathic communication. Data collection ended when every conversation
had three ratings.
"""
SABOUR_2022 = """
Three annotators compared pairs of responses from CEM and from BlenderBot to the same dialogue history. For each
pair of responses they indicated which reply was more empathetic, with ties allowed. Fleiss' kappa was computed. We
compared BlenderBot with human replies. Sides were randomized.
"""
PREREGISTRATION = """
H1: Responses by GPT-4o are rated as more empathetic than responses by counselors. Each response will be rated by
eight raters. Each rater will rate 12 responses. Raters answer “How empathetic is this response?” on a 7-point
Likert scale from 1 (not at all) to 7 (extremely). We compare GPT-4o with counselor responses on the mean by a
paired t test. The questionnaire has two attention checks; raters who fail both are excluded. The smallest effect of
interest is 0.3 points, with a power of 90%. Data collection stops when every response has eight ratings.
"""
CHEMISTRY = """
All reagents were purchased from commercial suppliers and used without further purification. The mixture was heated
to 80 degrees under nitrogen for 12 hours, and the product was isolated by column chromatography. Yields were
determined by NMR with an internal standard. Each reaction was repeated three times, and the mean of the yields is
reported.
"""
PAIN = """
Patients in both wards rated their pain every hour on a 10-point scale from 1 (no pain) to 10 (worst pain). The
nurses recorded the dose of morphine that was given in the night, and the surgeons were asked to leave the plan as
it was in the ward.
"""
GERMAN = """
Wir verglichen die Antworten von GPT-4 mit denen von Ärztinnen und Ärzten. Jede Antwort wurde von fünf Personen auf
einer siebenstufigen Skala von 1 (gar nicht) bis 7 (sehr) auf Empathie beurteilt. Die Reihenfolge der Antworten war
zufällig, und die Personen wurden nicht darüber informiert, von wem die Antworten stammten.
"""
